#include "selector/testing.h"

#include <array>
#include <charconv>

#include "selector/check.h"
#include "selector/containers.h"
#include "selector/evaluate.h"
#include "selector/parser.h"

namespace berth::selector::testing {
namespace {

std::string number_text(double number) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  const std::string text(buffer.data(), end.ptr);
  return text.find_first_of(".ein") == std::string::npos ? text + ".0" : text;
}

std::string list_text(const List& list) {
  std::string text = "[";
  for (const Value& item : list.items) text += (text == "[" ? "" : ", ") + to_text(item);
  return text + "]";
}

std::string map_text(const Value& map) {
  Scratch scratch;
  std::string text = "{";
  for (const auto& [key, value] : (*entries_of(map, scratch))->entries) {
    text += (text == "{" ? "" : ", ") + to_text(key) + ": " + to_text(value);
  }
  return text + "}";
}

std::string version_text(const Semver& version) {
  std::string text = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                     std::to_string(version.patch);
  if (!version.prerelease.empty()) text += "-" + version.prerelease;
  return version.build.empty() ? text : text + "+" + version.build;
}

std::string quantity_text(const Quantity& quantity) {
  const auto units = quantity.as_integer();
  return "quantity(" +
         (units ? std::to_string(*units) : number_text(quantity.as_approximate_float())) + ")";
}

std::string quoted_source(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      out += std::string("\\") + c;
    } else if (byte < 0x20) {
      out += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string bytes_source(std::string_view bytes) {
  std::string out = "b'";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\";
    for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return out + "'";
}

class Writer {
 public:
  explicit Writer(const Ast& ast) : ast_(ast) {}

  std::string write(NodeId id) const {
    const Node& node = ast_.nodes[id];
    const std::string& name = ast_.text_of(node);
    switch (node.kind) {
      case NodeKind::kLiteral:
        return literal(ast_.literals[node.ref]);
      case NodeKind::kName:
        return name;
      case NodeKind::kField:
        return operand(node) + (node.form == Form::kOptional ? ".?" : ".") + name;
      case NodeKind::kHas:
        return "has(" + operand(node) + "." + name + ")";
      case NodeKind::kIndex:
        return operand(node) + (node.form == Form::kOptional ? "[?" : "[") + part(node, 1) + "]";
      case NodeKind::kCall:
        return call(node, name);
      case NodeKind::kList:
        return "[" + parts(node, 0) + "]";
      case NodeKind::kMap:
        return map(node);
      case NodeKind::kOptionalElement:
        return "?" + part(node, 0);
      case NodeKind::kAnd:
        return joined(node, " && ");
      case NodeKind::kOr:
        return joined(node, " || ");
      case NodeKind::kConditional:
        return "(" + operand(node) + " ? (" + part(node, 1) + ") : " + part(node, 2) + ")";
      case NodeKind::kFold:
        return operand(node) + "." + macro(node.form) + "(" + name + ", " + parts(node, 1) + ")";
      case NodeKind::kBind:
        return "cel.bind(" + name + ", " + parts(node, 0) + ")";
      case NodeKind::kOrElse:
        return operand(node) + "." + name + "(" + part(node, 1) + ")";
      default:
        return "resolved";
    }
  }

 private:
  NodeId child(const Node& node, std::size_t i) const { return ast_.children_of(node)[i]; }
  std::string part(const Node& node, std::size_t i) const { return write(child(node, i)); }
  std::string operand(const Node& node) const { return "(" + part(node, 0) + ")"; }

  std::string parts(const Node& node, std::size_t first) const {
    std::string text;
    for (std::size_t i = first; i < node.count; ++i)
      text += (i > first ? ", " : "") + part(node, i);
    return text;
  }
  std::string joined(const Node& node, std::string_view op) const {
    std::string text;
    for (std::size_t i = 0; i < node.count; ++i) {
      text += std::string(i > 0 ? op : "") + "(" + part(node, i) + ")";
    }
    return "(" + text + ")";
  }
  std::string map(const Node& node) const {
    std::string text;
    for (std::size_t i = 0; i < node.count; i += 2) {
      std::string value = part(node, i + 1);
      std::string key = part(node, i);
      if (value.starts_with('?')) {
        key = "?" + key;
        value.erase(0, 1);
      }
      text += (i > 0 ? ", " : "") + key + ": " + value;
    }
    return "{" + text + "}";
  }
  std::string call(const Node& node, const std::string& name) const {
    if (node.form == Form::kGlobal) return name + "(" + parts(node, 0) + ")";
    if (node.form == Form::kMember) return operand(node) + "." + name + "(" + parts(node, 1) + ")";
    const std::string symbol = name.substr(
        name.find_first_not_of('_'), name.find_last_not_of('_') + 1 - name.find_first_not_of('_'));
    if (node.count == 1) return "(" + symbol + operand(node) + ")";
    return "(" + operand(node) + " " + symbol + " (" + part(node, 1) + "))";
  }
  static std::string literal(const Value& value) {
    if (const auto* text = value.as<std::string_view>()) return quoted_source(*text);
    if (const auto* bytes = value.as<Bytes>()) return bytes_source(bytes->bytes);
    return to_text(value);
  }
  static std::string macro(Form form) {
    switch (form) {
      case Form::kAll:
        return "all";
      case Form::kExists:
        return "exists";
      case Form::kExistsOne:
        return "exists_one";
      case Form::kFilter:
        return "filter";
      case Form::kMap:
        return "map";
      case Form::kOptMap:
        return "optMap";
      default:
        return "optFlatMap";
    }
  }

  const Ast& ast_;
};

bool is_same(const Ast& a, NodeId a_id, const Ast& b, NodeId b_id) {
  const Node& x = a.nodes[a_id];
  const Node& y = b.nodes[b_id];
  if (x.kind != y.kind || x.form != y.form || x.count != y.count) return false;
  if (x.kind == NodeKind::kLiteral) {
    const Value& left = a.literals[x.ref];
    const Value& right = b.literals[y.ref];
    return left.kind() == right.kind() && to_text(left) == to_text(right);
  }
  if (a.text_of(x) != b.text_of(y)) return false;
  for (std::size_t i = 0; i < x.count; ++i) {
    if (!is_same(a, a.children_of(x)[i], b, b.children_of(y)[i])) return false;
  }
  return true;
}

}  // namespace

Device gpu() {
  Device device;
  device.driver = "gpu.nvidia.com";
  device.set_attribute("type", "gpu");
  device.set_attribute("productName", "NVIDIA A100-SXM4-80GB");
  device.set_attribute("architecture", "Ampere");
  device.set_attribute("driverVersion", *Semver::parse("550.54.15"));
  device.set_attribute("index", std::int64_t{2});
  device.set_attribute("ecc", true);
  device.set_attribute("links",
                       std::vector<AttributeScalar>{std::string("nv0"), std::string("nv1")});
  device.set_attribute("resource.kubernetes.io/pcieRoot", "pci0000:17");
  device.set_capacity("memory", *Quantity::parse("80Gi"));
  device.set_capacity("multiprocessors", Quantity::of_units(108));
  return device;
}

std::string to_text(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return value.get<bool>() ? "true" : "false";
    case Kind::kInt:
      return std::to_string(value.get<std::int64_t>());
    case Kind::kUint:
      return std::to_string(value.get<std::uint64_t>()) + "u";
    case Kind::kDouble:
      return number_text(value.get<double>());
    case Kind::kString:
      return "'" + std::string(value.get<std::string_view>()) + "'";
    case Kind::kBytes:
      return "b'" + std::string(value.get<Bytes>().bytes) + "'";
    case Kind::kList:
      return list_text(*value.get<const List*>());
    case Kind::kMap:
      return map_text(value);
    case Kind::kOptional:
      if (value.get<Optional>().content == nullptr) return "none";
      return "optional(" + to_text(*value.get<Optional>().content) + ")";
    case Kind::kQuantity:
      return quantity_text(value.get<Quantity>());
    case Kind::kSemver:
      return version_text(*value.get<const Semver*>());
    case Kind::kType:
      return std::string(name_of(value.get<TypeValue>().kind));
    default:
      return "device";
  }
}

std::string evaluate(std::string_view source, const Device& device) {
  auto ast = parse(source);
  if (!ast) return "compile: " + ast.error().message;
  const auto checked = check(source, std::move(*ast));
  if (!checked) return "compile: " + checked.error().message;
  Evaluation evaluation(checked->program, device);
  const auto value = evaluation.run();
  if (!value) return "run: " + value.error().message;
  return to_text(*value);
}

std::string evaluate(std::string_view source) { return evaluate(source, gpu()); }

bool is_same_tree(const Ast& a, const Ast& b) { return is_same(a, a.root, b, b.root); }

std::string to_source(const Ast& ast) { return Writer(ast).write(ast.root); }

void expect_vectors(std::span<const Vector> vectors) {
  for (const Vector& vector : vectors) {
    SCOPED_TRACE(std::string(vector.source));
    const std::string result = evaluate(vector.source);
    const std::size_t mark = vector.result.find(": ");
    const std::string_view stage = vector.result.substr(0, mark);
    if (stage != "compile" && stage != "run") {
      EXPECT_EQ(result, vector.result);
      continue;
    }
    EXPECT_TRUE(result.starts_with(std::string(stage) + ": ")) << result;
    EXPECT_NE(result.find(vector.result.substr(mark + 2)), std::string::npos) << result;
  }
}

}  // namespace berth::selector::testing

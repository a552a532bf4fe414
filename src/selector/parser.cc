#include "selector/parser.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "selector/ast_builder.h"
#include "selector/lexer.h"
#include "selector/literal.h"
#include "selector/macros.h"
#include "selector/source_text.h"
#include "selector/utf8.h"

namespace berth::selector {
namespace {

// How tight a binary operator binds; 0: it is none.
enum Binding : int { kNone, kOrBinding, kAndBinding, kRelation, kSum, kProduct };

struct Operator {
  std::string_view symbol;
  Binding binding;
  std::string_view function;  // its row in the table of functions; empty for && and ||
};
constexpr std::array<Operator, 14> kOperators = {{
    {"||", kOrBinding, ""},
    {"&&", kAndBinding, ""},
    {"==", kRelation, "_==_"},
    {"!=", kRelation, "_!=_"},
    {"<=", kRelation, "_<=_"},
    {">=", kRelation, "_>=_"},
    {"<", kRelation, "_<_"},
    {">", kRelation, "_>_"},
    {"in", kRelation, "_in_"},
    {"+", kSum, "_+_"},
    {"-", kSum, "_-_"},
    {"*", kProduct, "_*_"},
    {"/", kProduct, "_/_"},
    {"%", kProduct, "_%_"},
}};

// Words of the language, and those that CEL keeps for later.
constexpr std::array<std::string_view, 21> kReserved = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

bool is_reserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

using NodeResult = Result<NodeId>;
using NodesResult = Result<std::vector<NodeId>>;

class Parser {
 public:
  Parser(std::string_view source, std::vector<Token> tokens)
      : source_(source), tokens_(std::move(tokens)), builder_(source) {}

  Result<Ast> run() {
    const NodeResult root = expression();
    if (!root) return tl::unexpected(root.error());
    if (token().kind != TokenKind::kEnd) return unexpected("an operator or the end");
    return builder_.finish(*root);
  }

 private:
  const Token& token() const { return tokens_[at_]; }
  bool is(std::string_view symbol) const {
    return token().kind == TokenKind::kSymbol && token().text == symbol;
  }
  bool take(std::string_view symbol) {
    if (!is(symbol)) return false;
    ++at_;
    return true;
  }
  Status need(std::string_view symbol) {
    if (take(symbol)) return {};
    return unexpected(quoted(symbol));
  }
  tl::unexpected<Error> error(std::uint32_t offset, const std::string& message) const {
    return invalid(place_in(source_, offset) + ": " + message);
  }
  tl::unexpected<Error> unexpected(const std::string& accepted) const {
    const std::string found =
        token().kind == TokenKind::kEnd ? "ends here" : quoted(token().text) + " is not expected";
    return error(token().offset, found + "; " + accepted + " is accepted");
  }

  // or ? or : expression
  NodeResult expression() {
    const std::uint32_t offset = token().offset;
    if (depth_ >= kDeepestNesting) return builder_.too_deep(offset);
    ++depth_;
    NodeResult result = conditional();
    --depth_;
    return result;
  }

  NodeResult conditional() {
    NodeResult condition = binary(kOrBinding);
    if (!condition || !is("?")) return condition;
    const std::uint32_t offset = token().offset;
    ++at_;
    NodeResult yes = binary(kOrBinding);
    if (!yes) return yes;
    if (auto colon = need(":"); !colon) return tl::unexpected(colon.error());
    NodeResult no = expression();
    if (!no) return no;
    return builder_.add({NodeKind::kConditional, Form::kPlain, offset, {}},
                        {*condition, *yes, *no});
  }

  const Operator* binary_operator() const {
    const bool word = token().kind == TokenKind::kName;
    if (!word && token().kind != TokenKind::kSymbol) return nullptr;
    const auto found =
        std::find_if(kOperators.begin(), kOperators.end(),
                     [this](const Operator& known) { return known.symbol == token().text; });
    return found == kOperators.end() ? nullptr : &*found;
  }

  // Operators that bind at least as tight as `least`; those of one binding group from the left.
  NodeResult binary(Binding least) {
    NodeResult left = unary();
    for (const Operator* op = binary_operator(); left && op != nullptr && op->binding >= least;
         op = binary_operator()) {
      if (op->function.empty()) {
        left = logic(*op, *left);
        continue;
      }
      const std::uint32_t offset = token().offset;
      ++at_;
      NodeResult right = binary(static_cast<Binding>(op->binding + 1));
      if (!right) return right;
      left =
          builder_.add({NodeKind::kCall, Form::kOperator, offset, op->function}, {*left, *right});
    }
    return left;
  }

  // a && b && c is one node, however it is grouped: the result is the same, and long chains
  // do not nest.
  NodeResult logic(const Operator& op, NodeId first) {
    const NodeKind kind = op.binding == kAndBinding ? NodeKind::kAnd : NodeKind::kOr;
    const std::uint32_t offset = token().offset;
    std::vector<NodeId> operands;
    const auto add_operand = [&](NodeId id) {
      if (builder_.node(id).kind != kind) return operands.push_back(id);
      const auto inner = builder_.children_of(id);
      operands.insert(operands.end(), inner.begin(), inner.end());
    };
    add_operand(first);
    while (take(op.symbol)) {
      NodeResult next_operand = binary(static_cast<Binding>(op.binding + 1));
      if (!next_operand) return next_operand;
      add_operand(*next_operand);
    }
    return builder_.add({kind, Form::kPlain, offset, {}}, operands);
  }

  NodeResult unary() {
    const Token& first = token();
    if (is("-") && (next().kind == TokenKind::kInt || next().kind == TokenKind::kDouble)) {
      ++at_;
      NodeResult number = literal(Sign::kMinus);
      return number ? postfix(*number) : number;
    }
    if (!is("!") && !is("-")) {
      NodeResult operand = primary();
      return operand ? postfix(*operand) : operand;
    }
    if (depth_ >= kDeepestNesting) return builder_.too_deep(first.offset);
    const std::string_view function = is("!") ? "!_" : "-_";
    ++at_;
    ++depth_;
    NodeResult operand = unary();
    --depth_;
    if (!operand) return operand;
    return builder_.add({NodeKind::kCall, Form::kOperator, first.offset, function}, {*operand});
  }

  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }

  // .field .?field .method(...) [key] [?key]
  NodeResult postfix(NodeId operand) {
    NodeResult result = operand;
    while (result) {
      if (is(".") || is(".?")) {
        result = member(*result);
      } else if (is("[") || is("[?")) {
        const std::uint32_t offset = token().offset;
        const Form form = is("[?") ? Form::kOptional : Form::kPlain;
        ++at_;
        NodeResult key = expression();
        if (!key) return key;
        if (auto end = need("]"); !end) return tl::unexpected(end.error());
        result = builder_.add({NodeKind::kIndex, form, offset, {}}, {*result, *key});
      } else {
        break;
      }
    }
    return result;
  }

  NodeResult member(NodeId operand) {
    const Form form = is(".?") ? Form::kOptional : Form::kPlain;
    ++at_;
    const Token name = token();
    if (name.kind != TokenKind::kName) return unexpected("the name of a field or a function");
    ++at_;
    if (!is("(") || form == Form::kOptional) {
      return builder_.add({NodeKind::kField, form, name.offset, name.text}, {operand});
    }
    ++at_;
    const NodesResult arguments = list_until(")");
    if (!arguments) return tl::unexpected(arguments.error());
    return expand_member_call(builder_, {source_, name.offset, name.text}, operand, *arguments);
  }

  NodeResult primary() {
    const Token first = token();
    switch (first.kind) {
      case TokenKind::kInt:
      case TokenKind::kUint:
      case TokenKind::kDouble:
      case TokenKind::kString:
      case TokenKind::kBytes:
        return literal(Sign::kPlus);
      case TokenKind::kName:
        return name();
      default:
        break;
    }
    if (take("(")) {
      NodeResult inner = expression();
      if (!inner) return inner;
      if (auto end = need(")"); !end) return tl::unexpected(end.error());
      return inner;
    }
    if (is("[") || is("[?")) return list();
    if (is("{") || is("{?")) return map();
    return unexpected("an expression");
  }

  NodeResult name() {
    const Token first = token();
    if (first.text == "true" || first.text == "false" || first.text == "null") {
      ++at_;
      if (first.text == "null") return builder_.add_literal(first.offset, Null{});
      return builder_.add_literal(first.offset, first.text == "true");
    }
    if (is_reserved(first.text)) {
      return error(first.offset,
                   quoted(first.text) + " is a reserved word; another name is accepted");
    }
    ++at_;
    if (is("{")) {
      return error(first.offset, "messages such as " + quoted(std::string(first.text) + "{}") +
                                     " are not supported; a map such as {'key': 1} is accepted");
    }
    if (!take("(")) {
      return builder_.add({NodeKind::kName, Form::kPlain, first.offset, first.text}, {});
    }
    const NodesResult arguments = list_until(")");
    if (!arguments) return tl::unexpected(arguments.error());
    return expand_call(builder_, {source_, first.offset, first.text}, *arguments);
  }

  // Expressions with commas between them, up to and with the bracket `end`.
  NodesResult list_until(std::string_view end) {
    std::vector<NodeId> items;
    if (take(end)) return items;
    do {
      const NodeResult item = expression();
      if (!item) return tl::unexpected(item.error());
      items.push_back(*item);
    } while (take(","));
    if (auto closed = need(end); !closed) return tl::unexpected(closed.error());
    return items;
  }

  NodeResult optional_element(std::uint32_t offset, NodeId content) {
    return builder_.add({NodeKind::kOptionalElement, Form::kPlain, offset, {}}, {content});
  }

  NodeResult list() {
    const std::uint32_t offset = token().offset;
    bool optional = is("[?");
    ++at_;
    std::vector<NodeId> items;
    while (optional || !is("]")) {
      optional = take("?") || optional;
      NodeResult item = expression();
      if (item && optional) item = optional_element(offset, *item);
      if (!item) return item;
      items.push_back(*item);
      optional = false;
      if (!take(",")) break;
    }
    if (auto end = need("]"); !end) return tl::unexpected(end.error());
    return builder_.add({NodeKind::kList, Form::kPlain, offset, {}}, items);
  }

  NodeResult map() {
    const std::uint32_t offset = token().offset;
    bool optional = is("{?");
    ++at_;
    std::vector<NodeId> items;
    while (optional || !is("}")) {
      optional = take("?") || optional;
      NodeResult key = expression();
      if (!key) return key;
      if (auto colon = need(":"); !colon) return tl::unexpected(colon.error());
      NodeResult value = expression();
      if (value && optional) value = optional_element(offset, *value);
      if (!value) return value;
      items.push_back(*key);
      items.push_back(*value);
      optional = false;
      if (!take(",")) break;
    }
    if (auto end = need("}"); !end) return tl::unexpected(end.error());
    return builder_.add({NodeKind::kMap, Form::kPlain, offset, {}}, items);
  }

  // The sign stands before the token already, where there is one.
  NodeResult literal(Sign sign) {
    const Token number = token();
    ++at_;
    switch (number.kind) {
      case TokenKind::kInt:
        if (const auto value = decode_int(number.text, sign)) {
          return builder_.add_literal(number.offset, *value);
        }
        return error(number.offset, quoted(number.text) +
                                        " is too large; -9223372036854775808 to "
                                        "9223372036854775807 is accepted");
      case TokenKind::kUint:
        if (const auto value = decode_uint(number.text.substr(0, number.text.size() - 1))) {
          return builder_.add_literal(number.offset, *value);
        }
        return error(number.offset, quoted(number.text) +
                                        " is too large; 0u to 18446744073709551615u is accepted");
      case TokenKind::kDouble:
        if (const auto value = decode_double(number.text)) {
          return builder_.add_literal(number.offset, sign == Sign::kMinus ? -*value : *value);
        }
        return error(number.offset,
                     quoted(number.text) + " is not a number that a double can hold");
      default:
        return text(number);
    }
  }

  NodeResult text(const Token& literal) {
    auto content = decode_string(literal.text);
    if (!content) return error(literal.offset, content.error().message);
    const std::string_view kept = builder_.keep(std::move(*content));
    if (literal.kind == TokenKind::kBytes) return builder_.add_literal(literal.offset, Bytes{kept});
    return builder_.add_literal(literal.offset, kept);
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  AstBuilder builder_;
};

}  // namespace

Result<Ast> parse(std::string_view source) {
  if (source.size() > kLongestSource) {
    return fail(ErrorCode::kLimitExceeded, "has " + std::to_string(source.size()) +
                                               " bytes; at most " + std::to_string(kLongestSource) +
                                               " are accepted");
  }
  if (!is_valid_utf8(source)) return invalid("is not UTF-8 text; UTF-8 is accepted");
  auto tokens = tokenize(source);
  if (!tokens) return tl::unexpected(tokens.error());
  return Parser(source, std::move(*tokens)).run();
}

}  // namespace berth::selector

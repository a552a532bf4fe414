#include <cstdio>

#include "codec/utf8.h"
#include "codec/writer.h"

namespace berth::codec {
namespace {

// Characters that are legal in JSON but that YAML readers or terminals take for line ends, marks
// or control characters: written as \u escapes.
bool needs_escape(std::string_view character) {
  if (character.size() == 2) return character[0] == '\xc2' && character[1] < '\xa0';
  if (character.size() != 3) return false;
  return character == "\xe2\x80\xa8" || character == "\xe2\x80\xa9" ||
         character == "\xef\xbb\xbf" || character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

unsigned code_point(std::string_view character) {
  unsigned value = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return value;
  value &= character.size() == 2 ? 0x1fU : 0x0fU;
  for (const char c : character.substr(1))
    value = (value << 6) | (static_cast<unsigned>(c) & 0x3fU);
  return value;
}

std::string escaped(std::string_view character) {
  switch (character[0]) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      break;
  }
  const auto first = static_cast<unsigned char>(character[0]);
  if (first >= 0x20 && first != 0x7f && !needs_escape(character)) return std::string(character);
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", code_point(character) & 0xffffU);
  return text;
}

class JsonWriter {
 public:
  enum class Layout { kLine, kIndented };
  explicit JsonWriter(Layout layout) : layout_(layout) {}

  void write(const Document& document) {
    switch (document.kind()) {
      case Document::Kind::kNull:
        text_ += "null";
        return;
      case Document::Kind::kBool:
        text_ += document.as_bool() ? "true" : "false";
        return;
      case Document::Kind::kInteger:
        text_ += std::to_string(document.as_integer());
        return;
      case Document::Kind::kDecimal:
        text_ += document.decimal_text();
        return;
      case Document::Kind::kString:
        text_ += json_string(document.as_string());
        return;
      case Document::Kind::kList:
        return write_list(document);
      case Document::Kind::kMap:
        return write_map(document);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  void write_list(const Document& document) {
    if (document.items().empty()) {
      text_ += "[]";
      return;
    }
    text_ += '[';
    ++depth_;
    bool is_first = true;
    for (const Document& item : document.items()) {
      separate(std::exchange(is_first, false));
      write(item);
    }
    --depth_;
    break_line();
    text_ += ']';
  }
  void write_map(const Document& document) {
    if (document.members().empty()) {
      text_ += "{}";
      return;
    }
    text_ += '{';
    ++depth_;
    bool is_first = true;
    for (const Member& member : document.members()) {
      separate(std::exchange(is_first, false));
      text_ += json_string(member.key);
      text_ += layout_ == Layout::kLine ? ":" : ": ";
      write(member.value);
    }
    --depth_;
    break_line();
    text_ += '}';
  }
  void separate(bool is_first) {
    if (!is_first) text_ += ',';
    break_line();
  }
  void break_line() {
    if (layout_ == Layout::kLine) return;
    text_ += '\n';
    text_.append(depth_ * 2, ' ');
  }

  Layout layout_;
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      result += "\\ufffd";  // what is not UTF-8 cannot be written as JSON
      text.remove_prefix(1);
      continue;
    }
    result += escaped(text.substr(0, length));
    text.remove_prefix(length);
  }
  return result + '"';
}

std::string write_json(const Document& document) {
  JsonWriter writer(JsonWriter::Layout::kIndented);
  writer.write(document);
  return writer.take() + "\n";
}

std::string write_json_line(const Document& document) {
  JsonWriter writer(JsonWriter::Layout::kLine);
  writer.write(document);
  return writer.take();
}

}  // namespace berth::codec

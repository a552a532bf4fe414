#include <algorithm>

#include "codec/scalar.h"
#include "codec/writer.h"

namespace berth::codec {
namespace {

constexpr std::size_t kColumns = 100;

std::string text_of(std::string_view text) {
  return is_safe_plain(text) ? std::string(text) : json_string(text);
}

std::string scalar_text(const Document& document) {
  switch (document.kind()) {
    case Document::Kind::kString:
      return text_of(document.as_string());
    case Document::Kind::kList:
      return "[]";  // called for empty ones only
    case Document::Kind::kMap:
      return "{}";
    default:
      return write_json_line(document);
  }
}

bool is_empty_collection(const Document& document) {
  return (document.is(Document::Kind::kList) && document.items().empty()) ||
         (document.is(Document::Kind::kMap) && document.members().empty());
}

bool fits_in_word(const Document& document) {
  return document.is_scalar() || is_empty_collection(document);
}

// "[a, b]" for a list of scalars that fits on the line; empty otherwise.
std::string flow_list(const Document& document, std::size_t column) {
  if (!document.is(Document::Kind::kList)) return {};
  std::string text = "[";
  for (const Document& item : document.items()) {
    if (!fits_in_word(item)) return {};
    if (text.size() > 1) text += ", ";
    text += scalar_text(item);
    if (column + text.size() >= kColumns) return {};
  }
  return text + "]";
}

class YamlWriter {
 public:
  // The members or items of a collection, each on its own line, the first one where the text ends.
  void write_block(const Document& document, std::size_t indent) {
    bool is_first = true;
    const auto start_line = [&] {
      if (!std::exchange(is_first, false)) text_.append(indent, ' ');
    };
    if (document.is(Document::Kind::kMap)) {
      for (const Member& member : document.members()) {
        start_line();
        const std::string key = text_of(member.key);
        text_ += key + ":";
        write_member(member.value, indent, key.size());
      }
      return;
    }
    for (const Document& item : document.items()) {
      start_line();
      text_ += "- ";
      write_item(item, indent + 2);
    }
  }
  // A value without a key: a scalar, a short list or a block at this column.
  void write_item(const Document& document, std::size_t indent) {
    if (fits_in_word(document)) {
      text_ += scalar_text(document) + "\n";
    } else if (const std::string list = flow_list(document, indent); !list.empty()) {
      text_ += list + "\n";
    } else {
      write_block(document, indent);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  void write_member(const Document& value, std::size_t indent, std::size_t key_size) {
    if (fits_in_word(value)) {
      text_ += " " + scalar_text(value) + "\n";
    } else if (const std::string list = flow_list(value, indent + key_size + 2); !list.empty()) {
      text_ += " " + list + "\n";
    } else {
      text_ += "\n";
      text_.append(indent + 2, ' ');
      write_block(value, indent + 2);
    }
  }

  std::string text_;
};

}  // namespace

std::string write_yaml(const Document& document) {
  YamlWriter writer;
  writer.write_item(document, 0);
  return writer.take();
}

}  // namespace berth::codec

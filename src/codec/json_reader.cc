#include "codec/json_reader.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "codec/document_builder.h"
#include "codec/scalar.h"
#include "codec/utf8.h"

namespace berth::codec {
namespace {

// Follows the characters that the parser takes and knows where the last token began. The parser
// tells of a token as soon as it is read, at most one character late (after a number).
class Tracker {
 public:
  void consume(char c) {
    if (in_string_) {
      consume_in_string(c);
    } else if (c == '"') {
      in_string_ = true;
      in_word_ = false;
      token_ = here();
    } else if (std::string_view(" \t\r\n,:]}").find(c) != std::string_view::npos) {
      in_word_ = false;
    } else if (!in_word_) {
      token_ = here();
      in_word_ = c != '{' && c != '[';
    }
    if (c == '\n') {
      ++line_;
      column_ = 0;
    }
    ++column_;
  }
  Position token() const { return token_; }

 private:
  void consume_in_string(char c) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '\\') {
      is_escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    }
  }
  Position here() const { return {line_, column_}; }

  int line_ = 1;
  int column_ = 1;
  Position token_{1, 1};
  bool in_string_ = false;
  bool in_word_ = false;
  bool is_escaped_ = false;
};

// What the parser reads from: the text, told to a Tracker as it goes.
class TrackedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedIterator(const char* at, Tracker* tracker) : at_(at), tracker_(tracker) {}
  const char& operator*() const { return *at_; }
  TrackedIterator& operator++() {
    tracker_->consume(*at_++);
    return *this;
  }
  TrackedIterator operator++(int) {
    TrackedIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const TrackedIterator& a, const TrackedIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  Tracker* tracker_;
};

// The parser's events; each answers whether to go on. The names are the parser's.
class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Handler(const Tracker& tracker) : tracker_(tracker) {}

  bool null() override { return place(Document()); }
  bool boolean(bool value) override { return place(Document::boolean(value)); }
  bool number_integer(number_integer_t value) override { return place(Document::integer(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    return number(std::to_string(value));  // may lie beyond int64
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return number(text);
  }
  bool string(string_t& value) override { return place(Document::string(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*count*/) override {
    return keep(builder_.start_map(tracker_.token()));
  }
  bool key(string_t& value) override {
    return keep(builder_.key(std::move(value), tracker_.token()));
  }
  bool end_object() override { return keep(builder_.end()); }
  bool start_array(std::size_t /*count*/) override {
    return keep(builder_.start_list(tracker_.token()));
  }
  bool end_array() override { return keep(builder_.end()); }
  bool parse_error(std::size_t /*position*/, const std::string& token,
                   const nlohmann::json::exception& exception) override {
    return keep(
        builder_.fail_here(ErrorCode::kInvalid, reason(token, exception), tracker_.token()));
  }

  Result<Document> take() {
    if (error_) return tl::unexpected<Error>(*error_);
    return builder_.take();
  }

 private:
  static std::string reason(const std::string& token, const nlohmann::json::exception& exception) {
    constexpr int kNumberOutOfRange = 406;
    if (exception.id == kNumberOutOfRange) {
      return "the number " + shown(token) + " is too large";
    }
    const std::string what = exception.what();
    const std::size_t colon = what.find(": ");
    return "is not JSON: " + (colon == std::string::npos ? what : what.substr(colon + 2));
  }
  bool number(const std::string& text) {
    Result<Document> scalar = decimal_scalar(text);
    if (scalar) return place(std::move(*scalar));
    return keep(builder_.fail_here(ErrorCode::kInvalid, scalar.error().message, tracker_.token()));
  }
  bool place(Document value) { return keep(builder_.scalar(std::move(value), tracker_.token())); }
  bool keep(Status status) {
    if (!status) error_ = std::move(status.error());
    return status.has_value();
  }

  const Tracker& tracker_;
  DocumentBuilder builder_;
  std::optional<Error> error_;
};

}  // namespace

Result<Document> read_json(std::string_view bytes) {
  const Result<std::string_view> checked = text_of(bytes);
  if (!checked) return tl::unexpected<Error>(checked.error());
  const std::string_view text = *checked;
  Tracker tracker;
  Handler handler(tracker);
  const TrackedIterator first(text.data(), &tracker);
  const TrackedIterator last(text.data() + text.size(), &tracker);
  nlohmann::json::sax_parse(first, last, &handler);
  return handler.take();
}

}  // namespace berth::codec

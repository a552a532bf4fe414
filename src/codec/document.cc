#include "codec/document.h"

#include <charconv>

#include "base/check.h"
#include "codec/scalar.h"

namespace berth::codec {

// Here and not in the header, because Member is complete only after Document.
Document::Document() = default;
Document::Document(const Document& other) = default;
Document::Document(Document&& other) noexcept = default;
Document& Document::operator=(const Document& other) = default;
Document& Document::operator=(Document&& other) noexcept = default;
Document::~Document() = default;
Document::Document(Value value) : value_(std::move(value)) {}

Document Document::boolean(bool value) { return Document(Value(std::in_place_type<bool>, value)); }
Document Document::integer(std::int64_t value) {
  return Document(Value(std::in_place_type<std::int64_t>, value));
}
Document Document::decimal(std::string text) {
  BERTH_CHECK(is_decimal_text(text));
  return Document(Value(std::in_place_type<Decimal>, Decimal{std::move(text)}));
}
Document Document::string(std::string text) {
  return Document(Value(std::in_place_type<std::string>, std::move(text)));
}
Document Document::list() { return Document(Value(std::in_place_type<List>)); }
Document Document::map() { return Document(Value(std::in_place_type<Map>)); }

bool Document::as_bool() const {
  BERTH_CHECK(is(Kind::kBool));
  return *std::get_if<bool>(&value_);
}
std::int64_t Document::as_integer() const {
  BERTH_CHECK(is(Kind::kInteger));
  return *std::get_if<std::int64_t>(&value_);
}
const std::string& Document::as_string() const {
  BERTH_CHECK(is(Kind::kString));
  return *std::get_if<std::string>(&value_);
}
const std::string& Document::decimal_text() const {
  BERTH_CHECK(is(Kind::kDecimal));
  return std::get_if<Decimal>(&value_)->text;
}

double Document::as_number() const {
  if (is(Kind::kInteger)) return static_cast<double>(as_integer());
  const std::string& text = decimal_text();
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  BERTH_CHECK(end.ec == std::errc());
  return value;
}

const std::vector<Document>& Document::items() const {
  BERTH_CHECK(is(Kind::kList));
  return *std::get_if<List>(&value_);
}
const std::vector<Member>& Document::members() const {
  BERTH_CHECK(is(Kind::kMap));
  return *std::get_if<Map>(&value_);
}

const Document* Document::find(std::string_view key) const {
  for (const Member& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

void Document::append(Document item) {
  BERTH_CHECK(is(Kind::kList));
  std::get_if<List>(&value_)->push_back(std::move(item));
}
void Document::add(std::string key, Document value) {
  add(Member{std::move(key), std::move(value), {}});
}
void Document::add(Member member) {
  BERTH_CHECK(is(Kind::kMap));
  std::get_if<Map>(&value_)->push_back(std::move(member));
}

Document Document::at(Position position) && {
  position_ = position;
  return std::move(*this);
}

bool operator==(const Document& a, const Document& b) { return a.value_ == b.value_; }
bool operator==(const Member& a, const Member& b) { return a.key == b.key && a.value == b.value; }

std::string_view kind_text(Document::Kind kind) {
  switch (kind) {
    case Document::Kind::kNull:
      return "nothing";
    case Document::Kind::kBool:
      return "true or false";
    case Document::Kind::kInteger:
      return "a whole number";
    case Document::Kind::kDecimal:
      return "a number with a fraction";
    case Document::Kind::kString:
      return "text";
    case Document::Kind::kList:
      return "a list";
    case Document::Kind::kMap:
      return "a map";
  }
  return "unknown";
}

}  // namespace berth::codec

// Document: the neutral tree between texts (YAML, JSON) and described objects. Every node knows the
// line and column it was read from.
//
// Owns: the seven kinds of values and their exact content. It must never know a format or an object
// of the model, and never turns one kind into another by itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace berth::codec {

// 1-based; 0 when the node was not read from a text.
struct Position {
  int line = 0;
  int column = 0;
};

struct Member;

class Document {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kDecimal, kString, kList, kMap };

  Document();  // null
  Document(const Document& other);
  Document(Document&& other) noexcept;
  Document& operator=(const Document& other);
  Document& operator=(Document&& other) noexcept;
  ~Document();
  static Document boolean(bool value);
  static Document integer(std::int64_t value);
  // `text` must satisfy is_decimal_text() of codec/scalar.h: a number with a point or an exponent.
  static Document decimal(std::string text);
  static Document string(std::string text);
  static Document list();
  static Document map();

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool is_null() const { return is(Kind::kNull); }
  bool is_scalar() const { return kind() < Kind::kList; }

  // The kind must fit; anything else is a broken invariant of the caller.
  bool as_bool() const;
  std::int64_t as_integer() const;
  const std::string& as_string() const;
  const std::string& decimal_text() const;  // exact, as written (without a leading '+')
  double as_number() const;                 // of an integer or decimal; always finite

  const std::vector<Document>& items() const;        // of a list
  const std::vector<Member>& members() const;        // of a map, in the order of insertion
  const Document* find(std::string_view key) const;  // first member with the key; O(members)

  void append(Document item);                 // to a list
  void add(std::string key, Document value);  // to a map; the key must be new (not checked here)
  void add(Member member);

  Position position() const { return position_; }
  Document at(Position position) &&;

  // Same content; positions do not count.
  friend bool operator==(const Document& a, const Document& b);

 private:
  struct Decimal {
    std::string text;
    friend bool operator==(const Decimal&, const Decimal&) = default;
  };
  using List = std::vector<Document>;
  using Map = std::vector<Member>;
  using Value = std::variant<std::monostate, bool, std::int64_t, Decimal, std::string, List, Map>;

  explicit Document(Value value);

  Value value_;
  Position position_;
};

struct Member {
  std::string key;
  Document value;
  Position position;  // of the key

  friend bool operator==(const Member& a, const Member& b);
};

// "a whole number", "a list": for messages.
std::string_view kind_text(Document::Kind kind);

}  // namespace berth::codec

// Kinds of CEL values, and what is known of an expression's type before it is evaluated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::selector {

enum class Kind : std::uint8_t {
  kDyn,  // not known before the evaluation
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kList,
  kMap,
  kOptional,
  kQuantity,
  kSemver,
  kType,
  kDevice,
  kNumber,  // in signatures only: int, uint or double
};

std::string_view name_of(Kind kind);
constexpr bool is_number(Kind kind) {
  return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kDouble;
}
// Whether a value of one kind is what the other asks for; what is not known may be.
constexpr bool is_accepted(Kind given, Kind wanted) {
  return given == wanted || given == Kind::kDyn || wanted == Kind::kDyn ||
         (wanted == Kind::kNumber && is_number(given));
}

// A kind with the type of its elements, the outermost kind first: list(string) is {kList, kString}.
// Types of map keys are not kept, and what nests deeper than the array is not known.
class Type {
 public:
  constexpr Type() = default;
  constexpr Type(Kind kind) : kinds_{kind} {}  // NOLINT: a plain kind is a type
  constexpr Type(Kind outer, Type element) : kinds_{outer} {
    for (std::size_t i = 1; i < kinds_.size(); ++i) kinds_[i] = element.kinds_[i - 1];
  }

  constexpr Kind kind() const { return kinds_[0]; }
  constexpr Type element() const {
    Type inner;
    for (std::size_t i = 1; i < kinds_.size(); ++i) inner.kinds_[i - 1] = kinds_[i];
    return inner;
  }
  std::string to_text() const;  // "list(string)"

  friend constexpr bool operator==(const Type&, const Type&) = default;

 private:
  std::array<Kind, 5> kinds_{};
};

// The type of what is one or the other.
constexpr Type common_type(const Type& a, const Type& b) { return a == b ? a : Type(); }

}  // namespace berth::selector

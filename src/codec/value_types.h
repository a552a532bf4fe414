// The kinds of scalar values a field can have. A kind knows how to read a Document node into the
// member's C++ type, to write it and to describe itself; the member's type is given by the field.
//
// Every kind has
//   template <M> std::optional<M> read(const Document&, ReadContext&) const;   adds an error if
//   none template <M> Document write(const M&, WriteStyle) const; template <M> TypeInfo info()
//   const;
// A new kind of your own needs these three and nothing else.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "codec/quantity.h"
#include "codec/read_context.h"
#include "codec/schema_info.h"
#include "model/words.h"

namespace berth::codec {

// Whether fields that have their default are written.
enum class WriteStyle { kWithoutDefaults, kFull };

// true or false.
class Flag {
 public:
  template <std::same_as<bool> M>
  std::optional<bool> read(const Document& value, ReadContext& context) const {
    return read_flag(value, context);
  }
  template <std::same_as<bool> M>
  Document write(const bool& value, WriteStyle /*style*/) const {
    return Document::boolean(value);
  }
  template <std::same_as<bool> M>
  TypeInfo info() const {
    return describe();
  }

 private:
  static TypeInfo describe();
  static std::optional<bool> read_flag(const Document& value, ReadContext& context);
};

// Whole numbers in [low, high] that a quantity's text is turned into; base of the kinds below.
struct Range {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();

  // The part of the range that a member of type M can hold.
  template <std::integral M>
  Range within() const {
    Range range = *this;
    range.low = std::max(low, static_cast<std::int64_t>(std::numeric_limits<M>::min()));
    if (std::in_range<std::int64_t>(std::numeric_limits<M>::max())) {
      range.high = std::min(high, static_cast<std::int64_t>(std::numeric_limits<M>::max()));
    }
    return range;
  }
};

// Measure: an exact number written in one of several ways.
enum class Measure { kPlain, kDuration, kMemory, kRatio, kAmount, kCpu };

class Quantity {
 public:
  Quantity(Measure measure, Range range, std::int64_t scale)
      : measure_(measure), range_(range), scale_(scale) {}

  Quantity unit(std::string text) const {
    Quantity copy = *this;
    copy.unit_ = std::move(text);
    return copy;
  }

  template <std::integral M>
  std::optional<M> read(const Document& value, ReadContext& context) const {
    const auto number = read_number(value, range_.within<M>(), context);
    return number ? std::optional<M>(static_cast<M>(*number)) : std::nullopt;
  }
  template <std::integral M>
  Document write(const M& value, WriteStyle /*style*/) const {
    BERTH_CHECK(std::in_range<std::int64_t>(value));
    return document_of(static_cast<std::int64_t>(value));
  }
  template <std::integral M>
  TypeInfo info() const {
    return describe(range_.within<M>());
  }

 private:
  Result<std::int64_t> parse(const Document& value) const;
  std::optional<std::int64_t> read_number(const Document& value, Range range,
                                          ReadContext& context) const;
  Document document_of(std::int64_t value) const;
  std::string range_text(Range range) const;
  TypeInfo describe(Range range) const;

  Measure measure_;
  Range range_;
  std::int64_t scale_;  // of ratios and amounts
  std::string unit_;
};

// A double for the physics of simulations and for reports; never for a decision.
class Number {
 public:
  Number(double low, double high) : low_(low), high_(high) {}
  Number unit(std::string text) const {
    Number copy = *this;
    copy.unit_ = std::move(text);
    return copy;
  }

  template <std::same_as<double> M>
  std::optional<double> read(const Document& value, ReadContext& context) const {
    return read_number(value, context);
  }
  template <std::same_as<double> M>
  Document write(const double& value, WriteStyle /*style*/) const {
    return number_document(value);
  }
  template <std::same_as<double> M>
  TypeInfo info() const {
    return describe();
  }

 private:
  std::optional<double> read_number(const Document& value, ReadContext& context) const;
  TypeInfo describe() const;

  double low_;
  double high_;
  std::string unit_;
};

// Text with a length limit and, when given, a pattern.
struct Pattern {
  std::string_view text;   // "a name of letters, digits, ..."
  std::string_view regex;  // for JSON Schema
  bool (*matches)(std::string_view) = nullptr;
};

class Text {
 public:
  Text(std::size_t bytes_limit, Pattern pattern) : limit_(bytes_limit), pattern_(pattern) {}

  template <std::same_as<std::string> M>
  std::optional<std::string> read(const Document& value, ReadContext& context) const {
    return read_text(value, context);
  }
  template <std::same_as<std::string> M>
  Document write(const std::string& value, WriteStyle /*style*/) const {
    return Document::string(value);
  }
  template <std::same_as<std::string> M>
  TypeInfo info() const {
    return describe();
  }

  // Whether the text keeps limit and pattern; adds an error at the node when not.
  bool accepts(std::string_view text, const Document& at, ReadContext& context) const;

 private:
  std::optional<std::string> read_text(const Document& value, ReadContext& context) const;
  TypeInfo describe() const;

  std::size_t limit_;
  Pattern pattern_;
};

// One word of a closed set: the member is an enum with EnumWords.
class Words {
 public:
  template <typename M>
    requires std::is_enum_v<M>
  std::optional<M> read(const Document& value, ReadContext& context) const {
    const auto index = read_index(value, words_of<M>(), context);
    return index ? std::optional<M>(static_cast<M>(*index)) : std::nullopt;
  }
  template <typename M>
    requires std::is_enum_v<M>
  Document write(const M& value, WriteStyle /*style*/) const {
    return Document::string(std::string(word(value)));
  }
  template <typename M>
    requires std::is_enum_v<M>
  TypeInfo info() const {
    return describe(words_of<M>());
  }

 private:
  using WordList = std::span<const std::string_view>;
  static std::optional<std::size_t> read_index(const Document& value, WordList words,
                                               ReadContext& context);
  static TypeInfo describe(WordList words);
};

// The kinds by name, as declarations use them.
inline Flag flag() { return {}; }
inline Words words() { return {}; }
Quantity integer(std::int64_t low, std::int64_t high);
Quantity duration(DurationMs low, DurationMs high);       // to ms
Quantity memory(Mib low, Mib high);                       // to MiB
Quantity card_share(CardUnits low, CardUnits high);       // to card units
Quantity per_mille(std::int64_t low, std::int64_t high);  // to 1/1,000
Quantity ppm(Ppm low, Ppm high);                          // to 1/1,000,000
Quantity money(MicroMoney low, MicroMoney high);          // to 1/1,000,000
Quantity cpu(CpuMilli low, CpuMilli high);                // to 1/1,000
Number number(double low, double high);
Text text(std::size_t bytes_limit);
Text name();           // as validate_name() of the model accepts
Text optional_name();  // or empty

}  // namespace berth::codec

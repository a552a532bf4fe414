#include "codec/value_types.h"

#include "base/nearest.h"
#include "codec/scalar.h"
#include "codec/writer.h"
#include "model/job.h"

namespace berth::codec {
namespace {

Document typed(std::string_view type) {
  Document schema = Document::map();
  schema.add("type", Document::string(std::string(type)));
  return schema;
}

bool is_model_name(std::string_view text) {
  return validate_name(std::string(text), "").has_value();
}
bool is_model_name_or_empty(std::string_view text) { return text.empty() || is_model_name(text); }

std::string scalar_text(const Document& scalar) {
  return scalar.is(Document::Kind::kString) ? scalar.as_string() : write_json_line(scalar);
}

std::string_view measure_name(Measure measure) {
  switch (measure) {
    case Measure::kPlain:
      return "whole number";
    case Measure::kDuration:
      return "duration";
    case Measure::kMemory:
      return "memory size";
    case Measure::kRatio:
      return "share";
    case Measure::kAmount:
      return "amount";
    case Measure::kCpu:
      return "CPUs";
  }
  return "number";
}

std::string measure_phrase(Measure measure) {
  if (measure == Measure::kCpu) return "a number of CPUs";
  const std::string name(measure_name(measure));
  return (measure == Measure::kAmount ? "an " : "a ") + name;
}

}  // namespace

std::optional<bool> Flag::read_flag(const Document& value, ReadContext& context) {
  if (value.is(Document::Kind::kBool)) return value.as_bool();
  context.add_unexpected(value, "true or false");
  return std::nullopt;
}

TypeInfo Flag::describe() { return {"true or false", "", "", typed("boolean"), nullptr}; }

Result<std::int64_t> Quantity::parse(const Document& value) const {
  switch (measure_) {
    case Measure::kPlain:
      if (value.is(Document::Kind::kInteger)) return value.as_integer();
      return invalid("a whole number");
    case Measure::kDuration:
      return parse_duration(value);
    case Measure::kMemory:
      return parse_memory(value);
    case Measure::kRatio:
      return parse_ratio(value, scale_);
    case Measure::kAmount:
      return parse_amount(value, scale_);
    case Measure::kCpu:
      return parse_cpu(value);
  }
  return invalid("a number");
}

std::optional<std::int64_t> Quantity::read_number(const Document& value, Range range,
                                                  ReadContext& context) const {
  const Result<std::int64_t> number = parse(value);
  if (number && *number >= range.low && *number <= range.high) return *number;
  std::string accepted = number ? measure_phrase(measure_) : number.error().message;
  const std::string bounds = range_text(range);
  if (!bounds.empty()) accepted += " from " + bounds;
  context.add_unexpected(value, accepted);
  return std::nullopt;
}

Document Quantity::document_of(std::int64_t value) const {
  switch (measure_) {
    case Measure::kDuration:
      return duration_document(value);
    case Measure::kMemory:
      return memory_document(value);
    case Measure::kRatio:
      return ratio_document(value, scale_);
    case Measure::kAmount:
    case Measure::kCpu:
      return amount_document(value, scale_);
    case Measure::kPlain:
      break;
  }
  return Document::integer(value);
}

// "1 to 8", "0 upwards"; empty when every number fits.
std::string Quantity::range_text(Range range) const {
  constexpr Range kWidest;
  if (range.high == kWidest.high && range.low == kWidest.low) return {};
  if (range.low == kWidest.low) return "anything to " + scalar_text(document_of(range.high));
  const std::string low = scalar_text(document_of(range.low));
  if (range.high == kWidest.high) return low + " upwards";
  return low + " to " + scalar_text(document_of(range.high));
}

TypeInfo Quantity::describe(Range range) const {
  TypeInfo info{std::string(measure_name(measure_)), range_text(range), unit_, Document::map(),
                nullptr};
  if (measure_ == Measure::kPlain) {
    info.json_schema = typed("integer");
    if (range.low > Range{}.low) info.json_schema.add("minimum", Document::integer(range.low));
    if (range.high < Range{}.high) info.json_schema.add("maximum", Document::integer(range.high));
    return info;
  }
  Document types = Document::list();
  if (measure_ != Measure::kAmount) types.append(Document::string("string"));
  types.append(Document::string("number"));
  info.json_schema.add("type", std::move(types));
  return info;
}

std::optional<double> Number::read_number(const Document& value, ReadContext& context) const {
  if (value.is(Document::Kind::kInteger) || value.is(Document::Kind::kDecimal)) {
    const double number = value.as_number();
    if (number >= low_ && number <= high_) return number;
  }
  context.add_unexpected(value, "a number from " + describe().accepted);
  return std::nullopt;
}

TypeInfo Number::describe() const {
  TypeInfo info{"number",
                scalar_text(number_document(low_)) + " to " + scalar_text(number_document(high_)),
                unit_, typed("number"), nullptr};
  info.json_schema.add("minimum", number_document(low_));
  info.json_schema.add("maximum", number_document(high_));
  return info;
}

std::optional<std::string> Text::read_text(const Document& value, ReadContext& context) const {
  if (!value.is(Document::Kind::kString)) {
    const bool is_quotable = value.is_scalar() && !value.is_null();
    context.add_unexpected(value, is_quotable ? "text, in quotes," : pattern_.text);
    return std::nullopt;
  }
  if (!accepts(value.as_string(), value, context)) return std::nullopt;
  return value.as_string();
}

bool Text::accepts(std::string_view text, const Document& at, ReadContext& context) const {
  if (text.size() > limit_) {
    context.add_below(at.position().line, "",
                      "has " + std::to_string(text.size()) + " bytes; at most " +
                          std::to_string(limit_) + " are accepted",
                      ErrorCode::kLimitExceeded);
    return false;
  }
  if (pattern_.matches == nullptr || pattern_.matches(text)) return true;
  context.add(at, "is " + shown(text) + "; " + std::string(pattern_.text) + " is accepted");
  return false;
}

TypeInfo Text::describe() const {
  TypeInfo info{"text", "at most " + std::to_string(limit_) + " bytes", "", typed("string"),
                nullptr};
  info.json_schema.add("maxLength", Document::integer(static_cast<std::int64_t>(limit_)));
  if (pattern_.matches != nullptr) {
    info.accepted = std::string(pattern_.text);
    info.json_schema.add("pattern", Document::string(std::string(pattern_.regex)));
  }
  return info;
}

std::optional<std::size_t> Words::read_index(const Document& value, WordList words,
                                             ReadContext& context) {
  if (!value.is(Document::Kind::kString)) {
    context.add_unexpected(value, "one of " + describe(words).accepted);
    return std::nullopt;
  }
  const auto it = std::find(words.begin(), words.end(), value.as_string());
  if (it != words.end()) return static_cast<std::size_t>(it - words.begin());
  context.add(value, "is " + shown(value.as_string()) + suggestion(value.as_string(), words));
  return std::nullopt;
}

TypeInfo Words::describe(WordList words) {
  TypeInfo info{"word", "", "", Document::map(), nullptr};
  Document all = Document::list();
  for (const std::string_view word : words) {
    info.accepted += (info.accepted.empty() ? "" : ", ") + std::string(word);
    all.append(Document::string(std::string(word)));
  }
  info.json_schema.add("enum", std::move(all));
  return info;
}

Quantity integer(std::int64_t low, std::int64_t high) { return {Measure::kPlain, {low, high}, 1}; }
Quantity duration(DurationMs low, DurationMs high) { return {Measure::kDuration, {low, high}, 1}; }
Quantity memory(Mib low, Mib high) { return {Measure::kMemory, {low, high}, 1}; }
Quantity card_share(CardUnits low, CardUnits high) { return {Measure::kRatio, {low, high}, kCard}; }
Quantity per_mille(std::int64_t low, std::int64_t high) {
  return {Measure::kRatio, {low, high}, 1000};
}
Quantity ppm(Ppm low, Ppm high) { return {Measure::kRatio, {low, high}, kPpmOne}; }
Quantity money(MicroMoney low, MicroMoney high) {
  return {Measure::kAmount, {low, high}, 1'000'000};
}
Quantity cpu(CpuMilli low, CpuMilli high) { return {Measure::kCpu, {low, high}, 1000}; }
Number number(double low, double high) { return {low, high}; }

Text text(std::size_t bytes_limit) { return {bytes_limit, {"text", "", nullptr}}; }
Text name() {
  constexpr Pattern kName = {
      "a name of letters, digits, '.', '-', '_' and '/' that starts with a letter or digit",
      "^[A-Za-z0-9][A-Za-z0-9._/-]*$", &is_model_name};
  return {kNameLimit, kName};
}
Text optional_name() {
  constexpr Pattern kName = {
      "a name of letters, digits, '.', '-', '_' and '/', or nothing in quotes,",
      "^([A-Za-z0-9][A-Za-z0-9._/-]*)?$", &is_model_name_or_empty};
  return {kNameLimit, kName};
}

}  // namespace berth::codec

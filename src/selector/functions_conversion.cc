// int() uint() double() string() bytes() bool() dyn() type().
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "selector/functions.h"
#include "selector/literal.h"
#include "selector/source_text.h"
#include "selector/utf8.h"

namespace berth::selector {
namespace {

using Int = std::int64_t;
using Uint = std::uint64_t;

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

Result<Value> same(const Call& call) { return call.arguments[0]; }
Result<Value> type_of(const Call& call) { return TypeValue{call.arguments[0].kind()}; }

tl::unexpected<Error> out_of_range(std::string_view kind) {
  return invalid("leaves the range of " + std::string(kind) + "; what 64 bits hold is accepted");
}
tl::unexpected<Error> no_number(std::string_view text, std::string_view kind) {
  return invalid(quoted(text) + " is not of " + std::string(kind) +
                 "; digits that make a number of it are accepted");
}

Result<Value> int_of_uint(const Call& call) {
  if (call.get<Uint>(0) > static_cast<Uint>(INT64_MAX)) return out_of_range("int");
  return static_cast<Int>(call.get<Uint>(0));
}
// Towards zero. Both ends of the range are out, as in cel-go: there doubles are too far apart.
Result<Value> int_of_double(const Call& call) {
  const double number = call.get<double>(0);
  if (!(number > -kTwo63 && number < kTwo63)) return out_of_range("int");
  return static_cast<Int>(number);
}
Result<Value> int_of_text(const Call& call) {
  std::string_view digits = call.text(0);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const bool decimal = digits.find_first_of("xX") == std::string_view::npos;
  const auto number = decode_int(digits, negative ? Sign::kMinus : Sign::kPlus);
  if (!number || !decimal) return no_number(call.text(0), "int");
  return *number;
}

Result<Value> uint_of_int(const Call& call) {
  if (call.get<Int>(0) < 0) return out_of_range("uint");
  return static_cast<Uint>(call.get<Int>(0));
}
Result<Value> uint_of_double(const Call& call) {
  const double number = call.get<double>(0);
  if (!(number >= 0 && number < kTwo64)) return out_of_range("uint");
  return static_cast<Uint>(number);
}
Result<Value> uint_of_text(const Call& call) {
  const bool decimal = call.text(0).find_first_of("xX") == std::string_view::npos;
  const auto number = decode_uint(call.text(0));
  if (!number || !decimal) return no_number(call.text(0), "uint");
  return *number;
}

Result<Value> double_of_int(const Call& call) { return static_cast<double>(call.get<Int>(0)); }
Result<Value> double_of_uint(const Call& call) { return static_cast<double>(call.get<Uint>(0)); }
Result<Value> double_of_text(const Call& call) {
  std::string_view text = call.text(0);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto number = decode_double(text);
  if (!number) return no_number(call.text(0), "double");
  return *number;
}

// The shortest digits that give the number again, as Go writes them with %g.
std::string text_of(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Inf" : "+Inf";
  constexpr int kFewestScientific = 6;  // from 1e+06 on, and below 1e-04, with an exponent
  constexpr int kMostFixed = -4;
  std::array<char, 64> buffer{};
  char* end = buffer.data() + buffer.size();
  const auto with_exponent =
      std::to_chars(buffer.data(), end, number, std::chars_format::scientific);
  std::string scientific(buffer.data(), with_exponent.ptr);
  const std::size_t mark = scientific.find('e');
  int exponent = 0;
  const std::size_t sign = scientific[mark + 1] == '+' ? 1 : 0;  // from_chars takes no plus
  std::from_chars(scientific.data() + mark + 1 + sign, scientific.data() + scientific.size(),
                  exponent);
  if (exponent < kMostFixed || exponent >= kFewestScientific) return scientific;
  const auto fixed = std::to_chars(buffer.data(), end, number, std::chars_format::fixed);
  return {buffer.data(), fixed.ptr};
}

Result<Value> text_of_bool(const Call& call) {
  return std::string_view(call.get<bool>(0) ? "true" : "false");
}
Result<Value> text_of_int(const Call& call) {
  return call.scratch.keep(std::to_string(call.get<Int>(0)));
}
Result<Value> text_of_uint(const Call& call) {
  return call.scratch.keep(std::to_string(call.get<Uint>(0)));
}
Result<Value> text_of_double(const Call& call) {
  return call.scratch.keep(text_of(call.get<double>(0)));
}
Result<Value> text_of_bytes(const Call& call) {
  const std::string_view bytes = call.get<Bytes>(0).bytes;
  if (!is_valid_utf8(bytes)) return invalid("the bytes are not UTF-8 text; UTF-8 is accepted");
  return bytes;
}
Result<Value> bytes_of_text(const Call& call) { return Bytes{call.text(0)}; }

Result<Value> bool_of_text(const Call& call) {
  for (const std::string_view word : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (call.text(0) == word) return true;
  }
  for (const std::string_view word : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (call.text(0) == word) return false;
  }
  return invalid(quoted(call.text(0)) +
                 " is neither true nor false; 'true' and 'false' are accepted");
}

constexpr Overload convert(std::string_view name, Kind from, Kind to, Function run) {
  const bool reads = from == Kind::kString || from == Kind::kBytes;
  return {name, Form::kGlobal, {from}, 1, to, reads ? Price::kReads : Price::kNothing, run};
}

}  // namespace

std::span<const Overload> conversion_functions() {
  static constexpr Overload kRows[] = {
      convert("int", Kind::kInt, Kind::kInt, same),
      convert("int", Kind::kUint, Kind::kInt, int_of_uint),
      convert("int", Kind::kDouble, Kind::kInt, int_of_double),
      convert("int", Kind::kString, Kind::kInt, int_of_text),
      convert("uint", Kind::kUint, Kind::kUint, same),
      convert("uint", Kind::kInt, Kind::kUint, uint_of_int),
      convert("uint", Kind::kDouble, Kind::kUint, uint_of_double),
      convert("uint", Kind::kString, Kind::kUint, uint_of_text),
      convert("double", Kind::kDouble, Kind::kDouble, same),
      convert("double", Kind::kInt, Kind::kDouble, double_of_int),
      convert("double", Kind::kUint, Kind::kDouble, double_of_uint),
      convert("double", Kind::kString, Kind::kDouble, double_of_text),
      convert("string", Kind::kString, Kind::kString, same),
      convert("string", Kind::kBool, Kind::kString, text_of_bool),
      convert("string", Kind::kInt, Kind::kString, text_of_int),
      convert("string", Kind::kUint, Kind::kString, text_of_uint),
      convert("string", Kind::kDouble, Kind::kString, text_of_double),
      convert("string", Kind::kBytes, Kind::kString, text_of_bytes),
      convert("bytes", Kind::kBytes, Kind::kBytes, same),
      convert("bytes", Kind::kString, Kind::kBytes, bytes_of_text),
      convert("bool", Kind::kBool, Kind::kBool, same),
      convert("bool", Kind::kString, Kind::kBool, bool_of_text),
      convert("dyn", Kind::kDyn, Kind::kDyn, same),
      convert("type", Kind::kDyn, Kind::kType, type_of),
  };
  return kRows;
}

}  // namespace berth::selector

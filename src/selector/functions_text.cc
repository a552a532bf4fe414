// Functions of strings. Positions count code points, as in CEL's string extension.
#include <algorithm>
#include <optional>

#include "selector/functions.h"
#include "selector/pattern.h"
#include "selector/source_text.h"
#include "selector/utf8.h"

namespace berth::selector {
namespace {

using Int = std::int64_t;

Result<Value> starts_with(const Call& call) { return call.text(0).starts_with(call.text(1)); }
Result<Value> ends_with(const Call& call) { return call.text(0).ends_with(call.text(1)); }
Result<Value> contains(const Call& call) {
  return call.text(0).find(call.text(1)) != std::string_view::npos;
}

// Steps of one match: RE2 reads each byte once, at worst with every instruction of the program.
std::uint64_t match_price(const re2::RE2& pattern, std::size_t bytes) {
  constexpr std::uint64_t kInstructionsPerStep = 8;
  const auto instructions = static_cast<std::uint64_t>(std::max(pattern.ProgramSize(), 0));
  return (bytes / kBytesPerStep + 1) * (instructions / kInstructionsPerStep + 1);
}

Result<Value> run_pattern(const re2::RE2& pattern, const Call& call) {
  const std::string_view text = call.text(0);
  if (auto paid = call.scratch.spend(match_price(pattern, text.size())); !paid) {
    return tl::unexpected(paid.error());
  }
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

// Compiling reads the pattern several times and makes a program of it, which is paid for, too.
Result<Value> matches(const Call& call) {
  if (call.pattern != nullptr) return run_pattern(*call.pattern, call);
  constexpr std::uint64_t kStepsPerPatternByte = 32;
  if (auto paid = call.scratch.spend(call.text(1).size() * kStepsPerPatternByte); !paid) {
    return tl::unexpected(paid.error());
  }
  const auto pattern = compile_pattern(call.text(1));
  if (!pattern) return tl::unexpected(pattern.error());
  const auto instructions = static_cast<std::uint64_t>(std::max((*pattern)->ProgramSize(), 0));
  if (auto paid = call.scratch.spend(instructions); !paid) return tl::unexpected(paid.error());
  return run_pattern(**pattern, call);
}

template <char First, char Last, char ToFirst>
Result<Value> shift_ascii(const Call& call) {
  std::string text(call.text(0));
  for (char& c : text) {
    if (c >= First && c <= Last) c = static_cast<char>(c - First + ToFirst);
  }
  return call.scratch.keep(std::move(text));
}

tl::unexpected<Error> out_of_range(Int position, std::string_view text) {
  return invalid("position " + std::to_string(position) + " is outside of a string of " +
                 std::to_string(count_code_points(text)) + "; positions from 0 are accepted");
}

std::optional<std::size_t> offset_at(std::string_view text, Int position) {
  if (position < 0) return std::nullopt;
  return offset_of(text, static_cast<std::size_t>(position));
}

Result<Value> char_at(const Call& call) {
  const std::string_view text = call.text(0);
  const auto offset = offset_at(text, call.get<Int>(1));
  if (!offset) return out_of_range(call.get<Int>(1), text);
  if (*offset == text.size()) return std::string_view();
  return text.substr(*offset, first_code_point(text.substr(*offset)).bytes);
}

Result<Value> substring(const Call& call) {
  const std::string_view text = call.text(0);
  const auto first = offset_at(text, call.get<Int>(1));
  if (!first) return out_of_range(call.get<Int>(1), text);
  if (call.arguments.size() == 2) return text.substr(*first);
  const auto last = offset_at(text, call.get<Int>(2));
  if (!last || *last < *first) return out_of_range(call.get<Int>(2), text);
  return text.substr(*first, *last - *first);
}

Result<Value> position_of(std::string_view text, std::size_t offset) {
  if (offset == std::string_view::npos) return Int{-1};
  return static_cast<Int>(count_code_points(text.substr(0, offset)));
}

Result<Value> index_of(const Call& call) {
  const std::string_view text = call.text(0);
  std::size_t from = 0;
  if (call.arguments.size() > 2) {
    const auto offset = offset_at(text, call.get<Int>(2));
    if (!offset) return out_of_range(call.get<Int>(2), text);
    from = *offset;
  }
  return position_of(text, text.find(call.text(1), from));
}

Result<Value> last_index_of(const Call& call) {
  const std::string_view text = call.text(0);
  std::size_t from = text.size();
  if (call.arguments.size() > 2) {
    const auto offset = offset_at(text, call.get<Int>(2));
    if (!offset) return out_of_range(call.get<Int>(2), text);
    from = *offset;
  }
  return position_of(text, text.rfind(call.text(1), from));
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Result<Value> trim(const Call& call) {
  const std::string_view text = call.text(0);
  std::size_t first = text.size();
  std::size_t last = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = first_code_point(text.substr(at));
    if (!is_space(point.value)) {
      first = std::min(first, at);
      last = at + point.bytes;
    }
    at += point.bytes;
  }
  return first < last ? text.substr(first, last - first) : std::string_view();
}

// How often something is done: the argument at `i`, where a negative one means without limit.
std::size_t limit_at(const Call& call, std::size_t i) {
  if (call.arguments.size() <= i || call.get<Int>(i) < 0) return SIZE_MAX;
  return static_cast<std::size_t>(call.get<Int>(i));
}

// Where a separator ends the piece that begins at `from`; an empty separator splits off one code
// point, and not at the end.
std::size_t end_of_piece(std::string_view text, std::string_view separator, std::size_t from) {
  if (!separator.empty()) return text.find(separator, from);
  if (from >= text.size()) return std::string_view::npos;
  const std::size_t end = from + first_code_point(text.substr(from)).bytes;
  return end < text.size() ? end : std::string_view::npos;
}

// At most `limit` pieces, the last is the rest.
Result<Value> split(const Call& call) {
  const std::string_view text = call.text(0);
  const std::string_view separator = call.text(1);
  const std::size_t limit = limit_at(call, 2);
  List pieces;
  if (limit == 0 || (text.empty() && separator.empty())) {
    return call.scratch.keep(std::move(pieces));
  }
  std::size_t from = 0;
  while (pieces.items.size() + 1 < limit) {
    const std::size_t end = end_of_piece(text, separator, from);
    if (end == std::string_view::npos) break;
    if (auto paid = call.scratch.spend(1); !paid) return tl::unexpected(paid.error());
    pieces.items.emplace_back(text.substr(from, end - from));
    from = end + separator.size();
  }
  pieces.items.emplace_back(text.substr(from));
  return call.scratch.keep(std::move(pieces));
}

// An empty word stands before each code point and at the end.
Result<Value> replace(const Call& call) {
  const std::string_view text = call.text(0);
  const std::string_view word = call.text(1);
  const std::string_view other = call.text(2);
  std::string out;
  std::size_t at = 0;
  for (std::size_t left = limit_at(call, 3); left > 0; --left) {
    const std::size_t found = text.find(word, at);
    if (found == std::string_view::npos) break;
    if (auto paid = call.scratch.spend_bytes(other.size() + kBytesPerStep); !paid) {
      return tl::unexpected(paid.error());
    }
    out += text.substr(at, found - at);
    out += other;
    at = found + word.size();
    if (!word.empty()) continue;
    if (at >= text.size()) return call.scratch.keep(std::move(out));
    const std::size_t bytes = first_code_point(text.substr(at)).bytes;
    out += text.substr(at, bytes);
    at += bytes;
  }
  out += text.substr(std::min(at, text.size()));
  return call.scratch.keep(std::move(out));
}

constexpr Kind kS = Kind::kString;
constexpr Kind kI = Kind::kInt;

constexpr Overload one(std::string_view name, Function run) {
  return {name, Form::kMember, {kS}, 1, kS, Price::kReads, run};
}
constexpr Overload test(std::string_view name, Price price, Function run) {
  return {name, Form::kMember, {kS, kS}, 2, Kind::kBool, price, run};
}

}  // namespace

std::span<const Overload> text_functions() {
  static constexpr Type kTexts(Kind::kList, Type(kS));
  static constexpr Overload kRows[] = {
      test("startsWith", Price::kReads, starts_with),
      test("endsWith", Price::kReads, ends_with),
      test("contains", Price::kSearches, contains),
      test("matches", Price::kItself, matches),
      {"matches", Form::kGlobal, {kS, kS}, 2, Kind::kBool, Price::kItself, matches},
      one("lowerAscii", shift_ascii<'A', 'Z', 'a'>),
      one("upperAscii", shift_ascii<'a', 'z', 'A'>),
      one("trim", trim),
      {"charAt", Form::kMember, {kS, kI}, 2, kS, Price::kReads, char_at},
      {"substring", Form::kMember, {kS, kI}, 2, kS, Price::kReads, substring},
      {"substring", Form::kMember, {kS, kI, kI}, 3, kS, Price::kReads, substring},
      {"indexOf", Form::kMember, {kS, kS}, 2, kI, Price::kSearches, index_of},
      {"indexOf", Form::kMember, {kS, kS, kI}, 3, kI, Price::kSearches, index_of},
      {"lastIndexOf", Form::kMember, {kS, kS}, 2, kI, Price::kSearches, last_index_of},
      {"lastIndexOf", Form::kMember, {kS, kS, kI}, 3, kI, Price::kSearches, last_index_of},
      {"split", Form::kMember, {kS, kS}, 2, kTexts, Price::kSearches, split},
      {"split", Form::kMember, {kS, kS, kI}, 3, kTexts, Price::kSearches, split},
      {"replace", Form::kMember, {kS, kS, kS}, 3, kS, Price::kSearches, replace},
      {"replace", Form::kMember, {kS, kS, kS, kI}, 4, kS, Price::kSearches, replace},
  };
  return kRows;
}

}  // namespace berth::selector

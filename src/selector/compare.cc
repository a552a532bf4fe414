#include "selector/compare.h"

#include <cmath>

#include "selector/containers.h"

namespace berth::selector {
namespace {

constexpr int kDeepestComparison = 256;  // levels of lists and maps in each other
constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

Result<bool> equal_at(const Value& a, const Value& b, Scratch& scratch, int depth);

// `number` is not NaN. Integers are compared with its whole part, then the fraction decides.
template <typename Integer>
std::partial_ordering compare_with_double(Integer integer, double number, double below,
                                          double beyond) {
  if (number < below) return std::partial_ordering::greater;
  if (number >= beyond) return std::partial_ordering::less;
  const double whole = std::floor(number);
  const auto same_kind = static_cast<Integer>(whole);
  if (integer != same_kind) {
    return integer < same_kind ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  return number > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

std::partial_ordering reversed(std::partial_ordering order) { return 0 <=> order; }

std::partial_ordering compare_to_double(const Value& a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (const auto* number = a.as<std::int64_t>()) {
    return compare_with_double(*number, b, -kTwo63, kTwo63);
  }
  if (const auto* number = a.as<std::uint64_t>())
    return compare_with_double(*number, b, 0.0, kTwo64);
  return a.get<double>() <=> b;
}

Result<bool> equal_lists(const List& a, const List& b, Scratch& scratch, int depth) {
  if (a.items.size() != b.items.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    auto same = equal_at(a.items[i], b.items[i], scratch, depth);
    if (!same || !*same) return same;
  }
  return true;
}

Result<bool> equal_maps(const Value& a, const Value& b, Scratch& scratch, int depth) {
  if (length_of(a) != length_of(b)) return false;
  const auto entries = entries_of(a, scratch);
  if (!entries) return tl::unexpected(entries.error());
  // The entries, because looking into a device's map for an unknown domain finds an empty one.
  const auto others = entries_of(b, scratch);
  if (!others) return tl::unexpected(others.error());
  for (const auto& [key, value] : (*entries)->entries) {
    const auto other = find_in(*others, key, scratch);
    if (!other) return tl::unexpected(other.error());
    if (!*other) return false;
    auto same = equal_at(value, **other, scratch, depth);
    if (!same || !*same) return same;
  }
  return true;
}

Result<bool> equal_texts(std::string_view a, std::string_view b, Scratch& scratch) {
  if (a.size() != b.size()) return false;
  if (auto paid = scratch.spend_bytes(a.size()); !paid) return tl::unexpected(paid.error());
  return a == b;
}

Result<bool> equal_optionals(const Optional& a, const Optional& b, Scratch& scratch, int depth) {
  if (a.content == nullptr || b.content == nullptr) return a.content == b.content;
  return equal_at(*a.content, *b.content, scratch, depth);
}

Result<bool> equal_at(const Value& a, const Value& b, Scratch& scratch, int depth) {
  if (auto paid = scratch.spend(1); !paid) return tl::unexpected(paid.error());
  if (depth >= kDeepestComparison) {
    return fail(ErrorCode::kLimitExceeded, "compares values that nest deeper than " +
                                               std::to_string(kDeepestComparison) +
                                               " levels; flatter ones are accepted");
  }
  const Kind kind = a.kind();
  if (is_number(kind) && is_number(b.kind())) return compare_numbers(a, b) == 0;
  if (kind != b.kind()) return false;
  switch (kind) {
    case Kind::kBool:
      return a.get<bool>() == b.get<bool>();
    case Kind::kString:
      return equal_texts(a.get<std::string_view>(), b.get<std::string_view>(), scratch);
    case Kind::kBytes:
      return equal_texts(a.get<Bytes>().bytes, b.get<Bytes>().bytes, scratch);
    case Kind::kList:
      return equal_lists(*a.get<const List*>(), *b.get<const List*>(), scratch, depth + 1);
    case Kind::kMap:
      return equal_maps(a, b, scratch, depth + 1);
    case Kind::kOptional:
      return equal_optionals(a.get<Optional>(), b.get<Optional>(), scratch, depth + 1);
    case Kind::kQuantity:
      return a.get<Quantity>() == b.get<Quantity>();
    case Kind::kSemver:
      return *a.get<const Semver*>() == *b.get<const Semver*>();
    case Kind::kType:
      return a.get<TypeValue>().kind == b.get<TypeValue>().kind;
    default:
      return true;  // null, and the one device
  }
}

}  // namespace

Result<bool> equal(const Value& a, const Value& b, Scratch& scratch) {
  return equal_at(a, b, scratch, 0);
}

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
  if (const auto* number = b.as<double>()) return compare_to_double(a, *number);
  if (const auto* number = a.as<double>()) return reversed(compare_to_double(b, *number));
  const auto* a_signed = a.as<std::int64_t>();
  const auto* b_signed = b.as<std::int64_t>();
  if (a_signed != nullptr && b_signed != nullptr) return *a_signed <=> *b_signed;
  if (a_signed != nullptr && *a_signed < 0) return std::partial_ordering::less;
  if (b_signed != nullptr && *b_signed < 0) return std::partial_ordering::greater;
  const auto magnitude = [](const Value& value, const std::int64_t* number) {
    return number != nullptr ? static_cast<std::uint64_t>(*number) : value.get<std::uint64_t>();
  };
  return magnitude(a, a_signed) <=> magnitude(b, b_signed);
}

}  // namespace berth::selector

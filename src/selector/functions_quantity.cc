// Quantities and semantic versions, as Kubernetes adds them to CEL.
#include "selector/functions.h"
#include "selector/source_text.h"

namespace berth::selector {
namespace {

using Int = std::int64_t;

const Semver& version_of(const Call& call, std::size_t i) { return *call.get<const Semver*>(i); }

// Under each: what the second argument may be.
Quantity amount_of(const Call& call, std::size_t i) {
  if (const auto* units = call.arguments[i].as<Int>()) return Quantity::of_units(*units);
  return call.get<Quantity>(i);
}

Int as_number(std::strong_ordering order) { return order < 0 ? -1 : (order > 0 ? 1 : 0); }

Result<Value> quantity(const Call& call) { return Quantity::parse(call.text(0)); }
Result<Value> is_quantity(const Call& call) { return Quantity::parse(call.text(0)).has_value(); }

Result<Value> compare_quantities(const Call& call) {
  return as_number(call.get<Quantity>(0) <=> call.get<Quantity>(1));
}
Result<Value> quantity_is_greater(const Call& call) {
  return call.get<Quantity>(0) > call.get<Quantity>(1);
}
Result<Value> quantity_is_less(const Call& call) {
  return call.get<Quantity>(0) < call.get<Quantity>(1);
}

tl::unexpected<Error> overflow() {
  return invalid("leaves the range of quantities; a smaller result is accepted");
}
Result<Value> add(const Call& call) {
  const auto sum = amount_of(call, 0).plus(amount_of(call, 1));
  if (!sum) return overflow();
  return *sum;
}
Result<Value> subtract(const Call& call) {
  const auto difference = amount_of(call, 0).minus(amount_of(call, 1));
  if (!difference) return overflow();
  return *difference;
}
Result<Value> sign(const Call& call) { return static_cast<Int>(call.get<Quantity>(0).sign()); }
Result<Value> as_integer(const Call& call) {
  const auto units = call.get<Quantity>(0).as_integer();
  if (!units)
    return invalid("is no whole number of 64 bits; isInteger() tells which quantities are");
  return *units;
}
Result<Value> is_integer(const Call& call) {
  return call.get<Quantity>(0).as_integer().has_value();
}
Result<Value> as_float(const Call& call) { return call.get<Quantity>(0).as_approximate_float(); }

Result<Semver> read_version(const Call& call) {
  const bool normalized = call.arguments.size() > 1 && call.get<bool>(1);
  return normalized ? Semver::parse_normalized(call.text(0)) : Semver::parse(call.text(0));
}
Result<Value> semver(const Call& call) {
  auto version = read_version(call);
  if (!version) return tl::unexpected(version.error());
  return call.scratch.keep(std::move(*version));
}
Result<Value> is_semver(const Call& call) { return read_version(call).has_value(); }

Result<Value> compare_versions(const Call& call) {
  return as_number(version_of(call, 0) <=> version_of(call, 1));
}
Result<Value> version_is_greater(const Call& call) {
  return version_of(call, 0) > version_of(call, 1);
}
Result<Value> version_is_less(const Call& call) {
  return version_of(call, 0) < version_of(call, 1);
}

template <std::uint64_t Semver::*Part>
Result<Value> part(const Call& call) {
  const std::uint64_t number = version_of(call, 0).*Part;
  if (number > static_cast<std::uint64_t>(INT64_MAX)) {
    return invalid("leaves the range of int; what 63 bits hold is accepted");
  }
  return static_cast<Int>(number);
}

constexpr Overload of_text(std::string_view name, Kind result, Function run) {
  return {name, Form::kGlobal, {Kind::kString}, 1, result, Price::kReads, run};
}
constexpr Overload of_text_and_bool(std::string_view name, Kind result, Function run) {
  return {name, Form::kGlobal, {Kind::kString, Kind::kBool}, 2, result, Price::kReads, run};
}
constexpr Overload of_one(std::string_view name, Kind kind, Kind result, Function run) {
  return {name, Form::kMember, {kind}, 1, result, Price::kNothing, run};
}
constexpr Overload of_two(std::string_view name, Kind first, Kind second, Kind result,
                          Function run) {
  return {name, Form::kMember, {first, second}, 2, result, Price::kNothing, run};
}

}  // namespace

std::span<const Overload> quantity_functions() {
  constexpr Kind kQ = Kind::kQuantity;
  constexpr Kind kV = Kind::kSemver;
  static constexpr Overload kRows[] = {
      of_text("quantity", kQ, quantity),
      of_text("isQuantity", Kind::kBool, is_quantity),
      of_text("semver", kV, semver),
      of_text_and_bool("semver", kV, semver),
      of_text("isSemver", Kind::kBool, is_semver),
      of_text_and_bool("isSemver", Kind::kBool, is_semver),
      of_two("compareTo", kQ, kQ, Kind::kInt, compare_quantities),
      of_two("compareTo", kV, kV, Kind::kInt, compare_versions),
      of_two("isGreaterThan", kQ, kQ, Kind::kBool, quantity_is_greater),
      of_two("isGreaterThan", kV, kV, Kind::kBool, version_is_greater),
      of_two("isLessThan", kQ, kQ, Kind::kBool, quantity_is_less),
      of_two("isLessThan", kV, kV, Kind::kBool, version_is_less),
      of_two("add", kQ, kQ, kQ, add),
      of_two("add", kQ, Kind::kInt, kQ, add),
      of_two("sub", kQ, kQ, kQ, subtract),
      of_two("sub", kQ, Kind::kInt, kQ, subtract),
      of_one("sign", kQ, Kind::kInt, sign),
      of_one("asInteger", kQ, Kind::kInt, as_integer),
      of_one("isInteger", kQ, Kind::kBool, is_integer),
      of_one("asApproximateFloat", kQ, Kind::kDouble, as_float),
      of_one("major", kV, Kind::kInt, part<&Semver::major>),
      of_one("minor", kV, Kind::kInt, part<&Semver::minor>),
      of_one("patch", kV, Kind::kInt, part<&Semver::patch>),
  };
  return kRows;
}

}  // namespace berth::selector

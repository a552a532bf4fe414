// == != < <= > >= in, and sets.
#include <algorithm>

#include "selector/compare.h"
#include "selector/containers.h"
#include "selector/functions.h"

namespace berth::selector {
namespace {

// Whether an order is what an operator asks for.
struct Less {
  static bool holds(std::partial_ordering order) { return order < 0; }
};
struct LessOrEqual {
  static bool holds(std::partial_ordering order) { return order <= 0; }
};
struct Greater {
  static bool holds(std::partial_ordering order) { return order > 0; }
};
struct GreaterOrEqual {
  static bool holds(std::partial_ordering order) { return order >= 0; }
};

template <typename Asked>
Result<Value> numbers(const Call& call) {
  const std::partial_ordering order = compare_numbers(call.arguments[0], call.arguments[1]);
  if (order == std::partial_ordering::unordered) {
    return invalid("NaN has no place in an order; other numbers are accepted");
  }
  return Asked::holds(order);
}
template <typename Asked>
Result<Value> bools(const Call& call) {
  return Asked::holds(call.get<bool>(0) <=> call.get<bool>(1));
}
template <typename Asked>
Result<Value> texts(const Call& call) {
  return Asked::holds(call.text(0).compare(call.text(1)) <=> 0);
}
template <typename Asked>
Result<Value> bytes(const Call& call) {
  return Asked::holds(call.get<Bytes>(0).bytes.compare(call.get<Bytes>(1).bytes) <=> 0);
}

Result<Value> is_equal(const Call& call) {
  return equal(call.arguments[0], call.arguments[1], call.scratch);
}
Result<Value> is_unequal(const Call& call) {
  const auto same = equal(call.arguments[0], call.arguments[1], call.scratch);
  if (!same) return tl::unexpected(same.error());
  return !*same;
}

Result<bool> holds(const List& list, const Value& wanted, Scratch& scratch) {
  for (const Value& item : list.items) {
    auto same = equal(item, wanted, scratch);
    if (!same || *same) return same;
  }
  return false;
}

Result<bool> holds_all(const List& list, const List& wanted, Scratch& scratch) {
  for (const Value& item : wanted.items) {
    auto held = holds(list, item, scratch);
    if (!held || !*held) return held;
  }
  return true;
}

Result<Value> in_list(const Call& call) {
  return holds(*call.get<const List*>(1), call.arguments[0], call.scratch);
}
// Not the domains themselves: looking there for an unknown one finds an empty map.
Result<Value> in_map(const Call& call) {
  Value map = call.arguments[1];
  if (map.as<AttributeDomains>() != nullptr || map.as<CapacityDomains>() != nullptr) {
    const auto entries = entries_of(map, call.scratch);
    if (!entries) return tl::unexpected(entries.error());
    map = *entries;
  }
  const auto found = find_in(map, call.arguments[0], call.scratch);
  if (!found) return tl::unexpected(found.error());
  return found->has_value();
}

// Of an attribute: a list holds the value, anything else is the value (Kubernetes 1.35 and later,
// for attributes that became lists).
Result<Value> includes(const Call& call) {
  if (const auto* list = call.arguments[0].as<const List*>()) {
    return holds(**list, call.arguments[1], call.scratch);
  }
  return is_equal(call);
}

Result<Value> sets_contains(const Call& call) {
  return holds_all(*call.get<const List*>(0), *call.get<const List*>(1), call.scratch);
}
Result<Value> sets_intersects(const Call& call) {
  for (const Value& item : call.get<const List*>(0)->items) {
    auto held = holds(*call.get<const List*>(1), item, call.scratch);
    if (!held || *held) return held;
  }
  return false;
}
Result<Value> sets_equivalent(const Call& call) {
  const List& a = *call.get<const List*>(0);
  const List& b = *call.get<const List*>(1);
  auto forth = holds_all(a, b, call.scratch);
  if (!forth || !*forth) return forth;
  return holds_all(b, a, call.scratch);
}

constexpr Overload order(std::string_view name, Kind kind, Function run) {
  const bool reads = kind == Kind::kString || kind == Kind::kBytes;
  return {name, Form::kOperator, {kind, kind},
          2,    Kind::kBool,     reads ? Price::kReads : Price::kNothing,
          run};
}
constexpr Overload test(std::string_view name, Form form, Kind first, Kind second, Function run) {
  return {name, form, {first, second}, 2, Kind::kBool, Price::kItself, run};
}

}  // namespace

std::span<const Overload> comparison_functions() {
  static constexpr Overload kRows[] = {
      test("_==_", Form::kOperator, Kind::kDyn, Kind::kDyn, is_equal),
      test("_!=_", Form::kOperator, Kind::kDyn, Kind::kDyn, is_unequal),
      test("_in_", Form::kOperator, Kind::kDyn, Kind::kList, in_list),
      test("_in_", Form::kOperator, Kind::kDyn, Kind::kMap, in_map),
      order("_<_", Kind::kNumber, numbers<Less>),
      order("_<_", Kind::kString, texts<Less>),
      order("_<_", Kind::kBool, bools<Less>),
      order("_<_", Kind::kBytes, bytes<Less>),
      order("_<=_", Kind::kNumber, numbers<LessOrEqual>),
      order("_<=_", Kind::kString, texts<LessOrEqual>),
      order("_<=_", Kind::kBool, bools<LessOrEqual>),
      order("_<=_", Kind::kBytes, bytes<LessOrEqual>),
      order("_>_", Kind::kNumber, numbers<Greater>),
      order("_>_", Kind::kString, texts<Greater>),
      order("_>_", Kind::kBool, bools<Greater>),
      order("_>_", Kind::kBytes, bytes<Greater>),
      order("_>=_", Kind::kNumber, numbers<GreaterOrEqual>),
      order("_>=_", Kind::kString, texts<GreaterOrEqual>),
      order("_>=_", Kind::kBool, bools<GreaterOrEqual>),
      order("_>=_", Kind::kBytes, bytes<GreaterOrEqual>),
      test("includes", Form::kMember, Kind::kDyn, Kind::kDyn, includes),
      test("sets.contains", Form::kGlobal, Kind::kList, Kind::kList, sets_contains),
      test("sets.intersects", Form::kGlobal, Kind::kList, Kind::kList, sets_intersects),
      test("sets.equivalent", Form::kGlobal, Kind::kList, Kind::kList, sets_equivalent),
  };
  return kRows;
}

}  // namespace berth::selector

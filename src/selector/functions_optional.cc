// Optional values. orValue() and or() are no calls: they leave their argument alone where it is
// not needed (NodeKind::kOrElse).
#include <cmath>

#include "selector/containers.h"
#include "selector/functions.h"

namespace berth::selector {
namespace {

Result<Value> has_value(const Call& call) { return call.get<Optional>(0).content != nullptr; }

Result<Value> value(const Call& call) {
  const Value* content = call.get<Optional>(0).content;
  if (content == nullptr) {
    return fail(ErrorCode::kNotFound, "there is none; an optional that has a value is accepted");
  }
  return *content;
}

Result<Value> none(const Call&) { return Optional{}; }
Result<Value> of(const Call& call) { return call.scratch.keep_optional(call.arguments[0]); }

bool is_zero(const Value& held) {
  switch (held.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return !held.get<bool>();
    case Kind::kInt:
      return held.get<std::int64_t>() == 0;
    case Kind::kUint:
      return held.get<std::uint64_t>() == 0;
    case Kind::kDouble:
      return std::fpclassify(held.get<double>()) == FP_ZERO;
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
      return length_of(held) == 0;
    case Kind::kOptional:
      return held.get<Optional>().content == nullptr;
    default:
      return false;
  }
}

Result<Value> of_non_zero(const Call& call) {
  if (is_zero(call.arguments[0])) return Optional{};
  return call.scratch.keep_optional(call.arguments[0]);
}

}  // namespace

std::span<const Overload> optional_functions() {
  // The checker knows the element's type of the result where the row cannot (check.cc).
  static constexpr Overload kRows[] = {
      {"hasValue", Form::kMember, {Kind::kOptional}, 1, Kind::kBool, Price::kNothing, has_value},
      {"value", Form::kMember, {Kind::kOptional}, 1, Kind::kDyn, Price::kNothing, value},
      {"optional.none", Form::kGlobal, {}, 0, Kind::kOptional, Price::kNothing, none},
      {"optional.of", Form::kGlobal, {Kind::kDyn}, 1, Kind::kOptional, Price::kNothing, of},
      {"optional.ofNonZeroValue",
       Form::kGlobal,
       {Kind::kDyn},
       1,
       Kind::kOptional,
       Price::kNothing,
       of_non_zero},
  };
  return kRows;
}

}  // namespace berth::selector

// + - * / % on numbers, + on texts and lists, minus and not. What leaves the range of a kind is an
// error, never another number.
#include <functional>
#include <limits>

#include "selector/functions.h"

namespace berth::selector {
namespace {

using Int = std::int64_t;
using Uint = std::uint64_t;

tl::unexpected<Error> overflow(std::string_view kind) {
  return invalid("leaves the range of " + std::string(kind) + "; a result of 64 bits is accepted");
}
tl::unexpected<Error> by_zero() { return invalid("divides by 0; another divisor is accepted"); }

template <typename T>
constexpr std::string_view kNameOf = std::is_same_v<T, Int> ? "int" : "uint";

template <typename T>
Result<Value> add(const Call& call) {
  T sum = 0;
  if (__builtin_add_overflow(call.get<T>(0), call.get<T>(1), &sum)) return overflow(kNameOf<T>);
  return sum;
}
template <typename T>
Result<Value> subtract(const Call& call) {
  T difference = 0;
  if (__builtin_sub_overflow(call.get<T>(0), call.get<T>(1), &difference)) {
    return overflow(kNameOf<T>);
  }
  return difference;
}
template <typename T>
Result<Value> multiply(const Call& call) {
  T product = 0;
  if (__builtin_mul_overflow(call.get<T>(0), call.get<T>(1), &product)) return overflow(kNameOf<T>);
  return product;
}

// The one quotient of two integers that has no place among them.
template <typename T>
bool quotient_overflows(T a, T b) {
  return std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
}
template <typename T>
Result<Value> divide(const Call& call) {
  const T divisor = call.get<T>(1);
  if (divisor == 0) return by_zero();
  if (quotient_overflows(call.get<T>(0), divisor)) return overflow(kNameOf<T>);
  return static_cast<T>(call.get<T>(0) / divisor);
}
template <typename T>
Result<Value> remainder(const Call& call) {
  const T divisor = call.get<T>(1);
  if (divisor == 0) return by_zero();
  if (quotient_overflows(call.get<T>(0), divisor)) return overflow(kNameOf<T>);
  return static_cast<T>(call.get<T>(0) % divisor);
}

// Doubles: infinities and NaN are values.
template <typename Operation>
Result<Value> of_doubles(const Call& call) {
  return Operation()(call.get<double>(0), call.get<double>(1));
}

Result<Value> negate_int(const Call& call) {
  Int negated = 0;
  if (__builtin_sub_overflow(Int{0}, call.get<Int>(0), &negated)) return overflow("int");
  return negated;
}
Result<Value> negate_double(const Call& call) { return -call.get<double>(0); }
Result<Value> negate_bool(const Call& call) { return !call.get<bool>(0); }

Result<Value> join_texts(const Call& call) {
  return call.scratch.keep(std::string(call.text(0)).append(call.text(1)));
}
Result<Value> join_bytes(const Call& call) {
  std::string bytes(call.get<Bytes>(0).bytes);
  bytes += call.get<Bytes>(1).bytes;
  return Bytes{call.scratch.keep(std::move(bytes))};
}
Result<Value> join_lists(const Call& call) {
  List list = *call.get<const List*>(0);
  const auto& more = call.get<const List*>(1)->items;
  list.items.insert(list.items.end(), more.begin(), more.end());
  return call.scratch.keep(std::move(list));
}

constexpr Overload binary(std::string_view name, Kind kind, Function run,
                          Price price = Price::kNothing) {
  return {name, Form::kOperator, {kind, kind}, 2, kind, price, run};
}
constexpr Overload unary(std::string_view name, Kind kind, Function run) {
  return {name, Form::kOperator, {kind}, 1, kind, Price::kNothing, run};
}

}  // namespace

std::span<const Overload> arithmetic_functions() {
  static constexpr Overload kRows[] = {
      binary("_+_", Kind::kInt, add<Int>),
      binary("_+_", Kind::kUint, add<Uint>),
      binary("_+_", Kind::kDouble, of_doubles<std::plus<double>>),
      binary("_+_", Kind::kString, join_texts, Price::kReads),
      binary("_+_", Kind::kBytes, join_bytes, Price::kReads),
      binary("_+_", Kind::kList, join_lists, Price::kReads),
      binary("_-_", Kind::kInt, subtract<Int>),
      binary("_-_", Kind::kUint, subtract<Uint>),
      binary("_-_", Kind::kDouble, of_doubles<std::minus<double>>),
      binary("_*_", Kind::kInt, multiply<Int>),
      binary("_*_", Kind::kUint, multiply<Uint>),
      binary("_*_", Kind::kDouble, of_doubles<std::multiplies<double>>),
      binary("_/_", Kind::kInt, divide<Int>),
      binary("_/_", Kind::kUint, divide<Uint>),
      binary("_/_", Kind::kDouble, of_doubles<std::divides<double>>),
      binary("_%_", Kind::kInt, remainder<Int>),
      binary("_%_", Kind::kUint, remainder<Uint>),
      unary("-_", Kind::kInt, negate_int),
      unary("-_", Kind::kDouble, negate_double),
      unary("!_", Kind::kBool, negate_bool),
  };
  return kRows;
}

}  // namespace berth::selector

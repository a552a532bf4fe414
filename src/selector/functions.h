// The functions and operators of the language, as tables: name, signature, price, code.
//
// A row is an overload. What has no row is not supported, and an expression that calls it does
// not compile.
#pragma once

#include <re2/re2.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "selector/ast.h"
#include "selector/scratch.h"
#include "selector/type.h"
#include "selector/value.h"

namespace berth::selector {

// What a call is charged before it runs, apart from the step of its node.
enum class Price : std::uint8_t {
  kNothing,
  kReads,     // the length of every argument: bytes / kBytesPerStep, elements of a list
  kSearches,  // the product of the lengths of the first two, for searches of one in the other
  kItself,    // the function spends what it needs
};

struct Call {
  std::span<const Value> arguments;  // the receiver first
  Scratch& scratch;
  const re2::RE2* pattern = nullptr;  // see Callee

  template <typename T>
  const T& get(std::size_t i) const {
    return arguments[i].get<T>();
  }
  std::string_view text(std::size_t i) const { return arguments[i].get<std::string_view>(); }
};
using Function = Result<Value> (*)(const Call&);

inline constexpr std::size_t kMostArguments = 4;  // with the receiver

struct Overload {
  std::string_view name;  // "startsWith", "sets.contains", "_+_"
  Form form = Form::kGlobal;
  std::array<Kind, kMostArguments> parameters{};
  std::uint8_t count = 0;
  Type result;
  Price price = Price::kNothing;
  Function run = nullptr;

  std::span<const Kind> accepted() const { return {parameters.data(), count}; }
  std::string to_text() const;  // "string.startsWith(string)"
};

// All overloads of a function, empty where it is not supported. Rows of one function stand
// together.
std::span<const Overload> find_function(std::string_view name, Form form);
// Why no row of a function takes what was given: "'+' does not take int, string; accepted: ...".
std::string no_overload_text(std::span<const Overload> rows, std::string_view given);
// "string.trim(), string.split(string)".
std::string signatures(std::span<const Overload> rows);
// Names of the functions of a form, for messages; operators have none.
std::vector<std::string_view> function_names(Form form);

// The tables, each beside its code. Whoever adds one names it in functions.cc.
std::span<const Overload> arithmetic_functions();
std::span<const Overload> comparison_functions();
std::span<const Overload> conversion_functions();
std::span<const Overload> text_functions();
std::span<const Overload> list_functions();
std::span<const Overload> optional_functions();
std::span<const Overload> quantity_functions();

}  // namespace berth::selector

// What holds of every expression: it is printed and read back, evaluates within its limits to what
// its type says, and logic does not depend on the order of its operands.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "selector/check.h"
#include "selector/compare.h"
#include "selector/evaluate.h"
#include "selector/parser.h"
#include "selector/testing.h"

namespace berth::selector {
namespace {

// Writes an expression by a list of choices; when they are used up, the simplest form is taken. So
// a shorter list is a simpler expression, and a failure shrinks.
class Grower {
 public:
  explicit Grower(std::vector<std::uint8_t> choices) : choices_(std::move(choices)) {}

  // Mostly of the type asked for; any expression now and then, so that errors are met, too.
  std::string truth() {
    switch (pick(14)) {
      case 0:
        return one_of({"true", "false", "device.allowMultipleAllocations"});
      case 1:
        return "(" + truth() + " && " + truth() + ")";
      case 2:
        return "(" + truth() + " || " + truth() + ")";
      case 3:
        return "!" + truth();
      case 4:
        return "(" + hidden(number()) + one_of({" < ", " <= ", " == ", " != ", " > ", " >= "}) +
               hidden(number()) + ")";
      case 5:
        return hidden(text()) + "." + one_of({"startsWith", "endsWith", "contains", "matches"}) +
               "(" + hidden(text()) + ")";
      case 6:
        return hidden(list()) + "." + one_of({"all", "exists", "exists_one"}) + "(" + name() +
               ", " + truth() + ")";
      case 7:
        return "(" + truth() + " ? " + truth() + " : " + truth() + ")";
      case 8:
        return "(" + any() + " in " + hidden(list()) + ")";
      case 9:
        return one_of({"has(device.attributes['gpu.nvidia.com'].ecc)", "has({'a': 1}.b)",
                       "{'a': true}.?b.orValue(false)", "1 / 0 > 0"});
      case 10:
        return "(dyn(" + any() + ") == " + any() + ")";
      case 11:
        return "cel.bind(" + name() + ", " + hidden(any()) + ", " + truth() + ")";
      case 12:
        return "sets." + one_of({"contains", "intersects", "equivalent"}) + "(" + hidden(list()) +
               ", " + hidden(list()) + ")";
      default:
        return "dyn(" + any() + ")";
    }
  }

 private:
  std::string number() {
    switch (pick(10)) {
      case 0:
        return one_of({"0", "1", "-1", "9223372036854775807", "-9223372036854775808", "7u", "1.5",
                       "18446744073709551615u", "0.0", "1e300"});
      case 1:
        return "(" + hidden(number()) + one_of({" + ", " - ", " * ", " / ", " % "}) +
               hidden(number()) + ")";
      case 2:
        return "-" + hidden(number());
      case 3:
        return "size(" + hidden(pick(2) == 0 ? text() : list()) + ")";
      case 4:
        return one_of({"int", "uint", "double"}) + "(" + hidden(any()) + ")";
      case 5:
        return hidden(text()) + ".indexOf(" + hidden(text()) + ")";
      case 6:
        return "quantity('" + one_of({"1", "1Gi", "-2k", "3m"}) + "').compareTo(quantity('1Mi'))";
      case 7:
        return hidden(list()) + "[" + hidden(number()) + "]";
      case 8:
        return name();
      default:
        return "dyn(" + any() + ")";
    }
  }

  std::string text() {
    switch (pick(8)) {
      case 0:
        return one_of({"''", "'a'", "'\\u00e9\\n'", "r'\\d+'", "'a(b'", "device.driver", "'7'"});
      case 1:
        return "(" + hidden(text()) + " + " + hidden(text()) + ")";
      case 2:
        return hidden(text()) + "." + one_of({"lowerAscii", "upperAscii", "trim"}) + "()";
      case 3:
        return hidden(text()) + ".replace(" + hidden(text()) + ", " + hidden(text()) + ")";
      case 4:
        return hidden(text()) + ".substring(" + hidden(number()) + ")";
      case 5:
        return "string(" + hidden(any()) + ")";
      case 6:
        return hidden(list()) + ".join(" + hidden(text()) + ")";
      default:
        return name();
    }
  }

  std::string list() {
    switch (pick(7)) {
      case 0:
        return one_of({"[]", "[1, 2]", "['a', 'b']", "[dyn(1), 'a', [true]]",
                       "device.attributes['gpu.nvidia.com'].links"});
      case 1:
        return "[" + any() + ", " + any() + "]";
      case 2:
        return "(" + hidden(list()) + " + " + hidden(list()) + ")";
      case 3:
        return hidden(list()) + ".filter(" + name() + ", " + truth() + ")";
      case 4:
        return hidden(list()) + ".map(" + name() + ", " + any() + ")";
      case 5:
        return hidden(text()) + ".split(" + hidden(text()) + ")";
      default:
        return "[?{'a': " + any() + "}.?" + name() + "]";
    }
  }

  std::string any() {
    switch (pick(8)) {
      case 0:
        return number();
      case 1:
        return truth();
      case 2:
        return text();
      case 3:
        return list();
      case 4:
        return "{'a': " + any() + ", 2: " + any() + "}";
      case 5:
        return one_of({"device", "device.attributes", "device.capacity['gpu.nvidia.com']",
                       "semver('1.2.3')", "b'x'", "int", "null"});
      case 6:
        return "{'a': " + any() + "}.?" + name() +
               one_of({".orValue(1)", ".hasValue()", ".optMap(a, [a])", ""});
      default:
        return name();
    }
  }

  // Mostly of a type that is not known before the evaluation: what does not compile is met less
  // often than what fails when it runs.
  std::string hidden(const std::string& inner) {
    return pick(8) == 7 ? inner : "dyn(" + inner + ")";
  }

  std::string name() { return one_of({"a", "b", "device"}); }

  std::size_t pick(std::size_t count) {
    if (at_ >= choices_.size()) return 0;
    return choices_[at_++] % count;
  }
  std::string one_of(std::vector<std::string> words) { return words[pick(words.size())]; }

  std::vector<std::uint8_t> choices_;
  std::size_t at_ = 0;
};

std::string any_truth() {
  const auto choices =
      *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::inRange<std::uint8_t>(0, 255));
  return "[dyn(1), 'x'].all(a, [dyn(2)].all(b, " + Grower(choices).truth() + "))";
}
// With the names a and b bound, as in any_truth.
std::string in_scope(const std::string& truth) {
  return "cel.bind(a, dyn(1), cel.bind(b, dyn('x'), " + truth + "))";
}
std::string any_operand() {
  const auto choices =
      *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::inRange<std::uint8_t>(0, 255));
  return Grower(choices).truth();
}

// What two expressions that mean the same have in common: the value, or that there is none.
std::string outcome(const std::string& source) {
  const std::string text = testing::evaluate(source);
  if (text.starts_with("run: ")) return "run";
  return text.starts_with("compile: ") ? "compile" : text;
}

RC_GTEST_PROP(SelectorProperty, PrintedTreesAreReadBack, ()) {
  const auto ast = parse(any_truth());
  RC_ASSERT(ast.has_value());
  const std::string printed = testing::to_source(*ast);
  const auto again = parse(printed);
  RC_ASSERT(again.has_value());
  RC_ASSERT(testing::is_same_tree(*again, *ast));
  RC_ASSERT(testing::to_source(*again) == printed);
}

RC_GTEST_PROP(SelectorProperty, PrintedTreesMeanTheSame, ()) {
  const std::string source = any_truth();
  RC_ASSERT(outcome(testing::to_source(*parse(source))) == outcome(source));
}

RC_GTEST_PROP(SelectorProperty, ValuesAreOfTheTypeThatIsKnown, ()) {
  const std::string source = any_truth();
  const auto checked = check(source, *parse(source));
  if (!checked) return;
  const Device device = testing::gpu();
  Evaluation first(checked->program, device);
  Evaluation second(checked->program, device);
  const auto value = first.run();
  const auto again = second.run();
  RC_ASSERT(first.steps() <= kStepLimit);
  RC_ASSERT(first.steps() == second.steps());
  RC_ASSERT(value.has_value() == again.has_value());
  if (value) RC_ASSERT(is_accepted(value->kind(), checked->type.kind()));
  if (!value) RC_ASSERT(value.error().message == again.error().message);
}

RC_GTEST_PROP(SelectorProperty, LogicDoesNotDependOnTheOrder, ()) {
  const std::string a = any_operand();
  const std::string b = any_operand();
  const std::string c = any_operand();
  for (const std::string op : {" && ", " || "}) {
    const std::string there = outcome(in_scope("(" + a + op + b + ")" + op + c));
    RC_ASSERT(there == outcome(in_scope(a + op + "(" + b + op + c + ")")));
    RC_ASSERT(there == outcome(in_scope(c + op + b + op + a)));
    RC_ASSERT(there == outcome(in_scope(b + op + a + op + c)));
  }
}

RC_GTEST_PROP(SelectorProperty, NotAndIsOrNot, ()) {
  const std::string a = any_operand();
  const std::string b = any_operand();
  RC_ASSERT(outcome(in_scope("!(" + a + " && " + b + ")")) ==
            outcome(in_scope("!(" + a + ") || !(" + b + ")")));
}

Value any_number() {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  const auto small = static_cast<std::int64_t>(bits % 7) - 3;
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return static_cast<std::int64_t>(bits);
    case 1:
      return bits;
    case 2:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case 3:
      return static_cast<double>(small) / 2;
    case 4:
      return static_cast<double>(bits);
    default:
      return small;
  }
}

RC_GTEST_PROP(SelectorProperty, NumbersHaveOneOrder, ()) {
  const std::array<Value, 3> numbers = {any_number(), any_number(), any_number()};
  for (const Value& a : numbers) {
    RC_ASSERT(std::is_eq(compare_numbers(a, a)));
    for (const Value& b : numbers) {
      RC_ASSERT((compare_numbers(a, b) < 0) == (compare_numbers(b, a) > 0));
      for (const Value& c : numbers) {
        if (compare_numbers(a, b) <= 0 && compare_numbers(b, c) <= 0) {
          RC_ASSERT(std::is_lteq(compare_numbers(a, c)));
        }
      }
    }
  }
}

RC_GTEST_PROP(SelectorProperty, QuantitiesOrderAsTheirNumbers, (std::int64_t a, std::int64_t b)) {
  const auto of = [](std::int64_t nano) { return *Quantity::parse(std::to_string(nano) + "n"); };
  RC_ASSERT(std::is_lt(of(a) <=> of(b)) == (a < b));
  RC_ASSERT(std::is_eq(of(a) <=> of(b)) == (a == b));
  RC_ASSERT(*of(a).plus(of(b)) == *of(b).plus(of(a)));
  RC_ASSERT(*of(a).plus(of(b))->minus(of(b)) == of(a));
}

// No text makes the readers fail otherwise than by an error.
RC_GTEST_PROP(SelectorProperty, AnyTextIsAnswered, (const std::string& text)) {
  const std::string result = testing::evaluate(text);
  RC_ASSERT(!result.empty());
  if (const auto version = Semver::parse(text)) RC_ASSERT(Semver::parse_normalized(text));
}

}  // namespace
}  // namespace berth::selector

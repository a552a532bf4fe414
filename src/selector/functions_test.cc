// Vectors for macros and functions, from the definition of CEL and of its extensions.
#include "selector/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "selector/testing.h"

namespace berth::selector::testing {
namespace {

TEST(SelectorVectors, Macros) {
  constexpr Vector kVectors[] = {
      {"[1, 2, 3].all(x, x > 0)", "true"},
      {"[1, 2, 3].all(x, x > 1)", "false"},
      {"[].all(x, x > 1)", "true"},
      {"[1, 2, 3].exists(x, x == 3)", "true"},
      {"[].exists(x, true)", "false"},
      {"[1, 0].all(x, 1 / x > 1)", "false"},
      {"[0, 1].all(x, 1 / x > 1)", "false"},
      {"[0, 1].all(x, 1 / x > 0)", "run: divides by 0"},
      {"[0, 1].exists(x, 1 / x > 0)", "true"},
      {"[0, 1].exists(x, 1 / x > 1)", "run: divides by 0"},
      {"[1, 2].exists_one(x, x > 1)", "true"},
      {"[1, 2].existsOne(x, x > 0)", "false"},
      {"[1, 0].exists_one(x, 1 / x > 0)", "run: divides by 0"},
      {"[1, 2, 3].filter(x, x % 2 == 1)", "[1, 3]"},
      {"[1, 0].filter(x, 1 / x > 0)", "run: divides by 0"},
      {"[1, 2].map(x, x * 2)", "[2, 4]"},
      {"[1, 2, 3].map(x, x > 1, x * 2)", "[4, 6]"},
      {"[1, 0].map(x, 1 / x)", "run: divides by 0"},
      {"{'a': 1, 'b': 2}.map(k, k)", "['a', 'b']"},
      {"{'a': 1}.all(k, k == 'a')", "true"},
      {"[1, 2].map(x, [3, 4].map(y, x * y))", "[[3, 4], [6, 8]]"},
      {"[1].map(x, [2].map(x, x))", "[[2]]"},
      {"[1].map(x, x) + [x]", "compile: 'x' is not known"},
      {"[1].map(device, device)", "[1]"},
      {"[1].all(x, x)", "compile: is of type int; a condition of type bool is accepted"},
      {"[dyn(1)].all(x, x)", "run: is of type int; bool is accepted"},
      {"'a'.all(x, true)", "compile: goes over a list or a map"},
      {"dyn('a').all(x, true)", "run: cannot go over a string"},
      {"cel.bind(a, 3, a * a)", "9"},
      {"cel.bind(a, 1, cel.bind(b, a + 1, [a, b]))", "[1, 2]"},
      {"cel.bind(a, 1 / 0, true)", "run: divides by 0"},
      {"cel.bind(sets, {'a': 1}, sets.a)", "1"},
  };
  expect_vectors(kVectors);
}

TEST(SelectorVectors, Optionals) {
  constexpr Vector kVectors[] = {
      {"{'a': 1}.?a", "optional(1)"},
      {"{'a': 1}.?b", "none"},
      {"{'a': 1}[?'a']", "optional(1)"},
      {"{'a': 1}[?'b']", "none"},
      {"[5][?0]", "optional(5)"},
      {"[5][?1]", "none"},
      {"[5][?'a']", "run: a list has no element at a string"},
      {"{'a': {'b': 2}}.?a.b", "optional(2)"},
      {"{'a': {'b': 2}}.?a.c", "none"},
      {"{'a': {'b': {'c': 2}}}.?x.b.c", "none"},
      {"{'a': [7]}.?a[0]", "optional(7)"},
      {"has({'a': {'b': 2}}.?a.b)", "true"},
      {"has({'a': {'b': 2}}.?x.b)", "false"},
      {"{'a': 1}.?x.b", "compile: a int has no field 'b'"},
      {"{'a': 1}.?b.orValue(7)", "7"},
      {"{'a': 1}.?a.orValue(1 / 0)", "1"},
      {"{'a': 1}.?b.or({'c': 3}.?c)", "optional(3)"},
      {"{'a': 1}.?a.or(optional.of(1 / 0))", "optional(1)"},
      {"optional.none().or(dyn(1))", "run: or() gives a int"},
      {"optional.none().or(1)", "compile: or() takes an optional"},
      {"(1).orValue(2)", "compile: is of type int; an optional is accepted"},
      {"dyn(1).orValue(2)", "run: is of type int; an optional is accepted"},
      {"{'a': 1}.?a.hasValue()", "true"},
      {"{'a': 1}.?b.hasValue()", "false"},
      {"{'a': 1}.?a.value()", "1"},
      {"{'a': 1}.?b.value()", "run: there is none"},
      {"{'a': 1}.?a.optMap(x, x + 1)", "optional(2)"},
      {"{'a': 1}.?b.optMap(x, x + 1)", "none"},
      {"{'a': 1}.?a.optFlatMap(x, [x][?1])", "none"},
      {"{'a': 1}.?a.optFlatMap(x, x)", "compile: gives a int"},
      {"optional.of(dyn(1)).optFlatMap(x, x)", "run: gives a int"},
      {"(1).optMap(x, x)", "compile: goes into an optional"},
      {"dyn(1).optMap(x, x)", "run: is of type int"},
      {"optional.of(1).optMap(x, 1 / 0)", "run: divides by 0"},
      {"optional.ofNonZeroValue(0)", "none"},
      {"optional.ofNonZeroValue('')", "none"},
      {"optional.ofNonZeroValue([0])", "optional([0])"},
      {"{'a': optional.of(1)}.?a", "optional(optional(1))"},
      {"{'a': optional.of(true)}.?a.orValue(optional.none()).orValue(false)", "true"},
      {"[?{'a': 1}.?a, 2, ?optional.none()]", "[1, 2]"},
      {"{?'a': optional.none(), 'b': 1, ?'c': optional.of(2)}", "{'b': 1, 'c': 2}"},
      {"[?1]", "compile: behind '?' an optional is accepted"},
      {"[?dyn(1)]", "run: behind '?' an optional is accepted"},
      {"optional.of(true).orValue(false) && true", "true"},
      {"optional.of(1).orValue(false) && true", "run: is of type int; bool is accepted"},
  };
  expect_vectors(kVectors);
}

TEST(SelectorVectors, Text) {
  constexpr Vector kVectors[] = {
      {"size('caf\u00e9')", "4"},
      {"'abc'.startsWith('ab') && !'abc'.startsWith('b')", "true"},
      {"'abc'.endsWith('bc') && 'abc'.endsWith('')", "true"},
      {"'abc'.contains('b') && 'abc'.contains('') && !'abc'.contains('d')", "true"},
      {"'abc'.matches('b')", "true"},
      {"'abc'.matches('^b')", "false"},
      {"matches('abc', '^a.c$')", "true"},
      {"'ABC'.matches('(?i)abc')", "true"},
      {"'abc'.matches('a' + '.c')", "true"},
      {"'caf\u00e9'.matches('^caf.$')", "true"},
      {"'abc'.matches('(')", "compile: the pattern '(' is not accepted"},
      {"'abc'.matches('(?=a)')", "compile: is not accepted"},
      {"'abc'.matches('(' + '')", "run: the pattern '(' is not accepted"},
      {"'AbC\u00c9'.lowerAscii()", "'abc\u00c9'"},
      {"'aBz{'.upperAscii()", "'ABZ{'"},
      {"' \\t\u00a0a b\\n'.trim()", "'a b'"},
      {"'  '.trim()", "''"},
      {"'caf\u00e9'.charAt(3)", "'\u00e9'"},
      {"'abc'.charAt(3)", "''"},
      {"'abc'.charAt(4)", "run: position 4 is outside of a string of 3"},
      {"'abc'.charAt(-1)", "run: position -1 is outside"},
      {"'tacocat'.indexOf('')", "0"},
      {"'tacocat'.indexOf('ac')", "1"},
      {"'tacocat'.indexOf('none')", "-1"},
      {"'tacocat'.indexOf('a', 3)", "5"},
      {"'\u00e9\u00e9a'.indexOf('a')", "2"},
      {"'abc'.indexOf('a', 9)", "run: position 9 is outside"},
      {"'tacocat'.lastIndexOf('at')", "5"},
      {"'tacocat'.lastIndexOf('a', 4)", "1"},
      {"'tacocat'.lastIndexOf('none')", "-1"},
      {"'tacocat'.substring(4)", "'cat'"},
      {"'tacocat'.substring(0, 4)", "'taco'"},
      {"'tacocat'.substring(4, 4)", "''"},
      {"'tacocat'.substring(2, 1)", "run: position 1 is outside"},
      {"'tacocat'.substring(2, 9)", "run: position 9 is outside"},
      {"'a-b-c'.split('-')", "['a', 'b', 'c']"},
      {"'a-b-c'.split('-', 2)", "['a', 'b-c']"},
      {"'a-b-c'.split('-', 1)", "['a-b-c']"},
      {"'a-b-c'.split('-', 0)", "[]"},
      {"'a-b'.split('-', -1)", "['a', 'b']"},
      {"'a\u00e9'.split('')", "['a', '\u00e9']"},
      {"''.split('')", "[]"},
      {"''.split('-')", "['']"},
      {"'-a-'.split('-')", "['', 'a', '']"},
      {"['a', 'b'].join()", "'ab'"},
      {"['a', 'b'].join('-')", "'a-b'"},
      {"[].join('-')", "''"},
      {"['a', 1].join('-')", "run: element 1 is of type int; strings are accepted"},
      {"'hello'.replace('l', 'L')", "'heLLo'"},
      {"'hello'.replace('l', 'L', 1)", "'heLlo'"},
      {"'hello'.replace('l', 'L', 0)", "'hello'"},
      {"'hello'.replace('l', '', -1)", "'heo'"},
      {"'ab'.replace('', '_')", "'_a_b_'"},
      {"'ab'.replace('', '_', 1)", "'_ab'"},
      {"''.replace('', '_')", "'_'"},
      {"'abc'.size() == 3 && size(b'abc') == 3 && size([1]) == 1 && {1: 2}.size() == 1", "true"},
      {"(1).startsWith('a')", "compile: startsWith() does not take int, string; accepted: "},
      {"'a'.startsWith()", "compile: does not take string; accepted: string.startsWith(string)"},
      {"dyn(1).startsWith('a')", "run: startsWith() does not take int, string"},
  };
  expect_vectors(kVectors);
}

TEST(SelectorVectors, Sets) {
  constexpr Vector kVectors[] = {
      {"sets.contains([1, 2, 3], [2, 3.0])", "true"},
      {"sets.contains([1], [1, 2])", "false"},
      {"sets.contains([], [])", "true"},
      {"sets.intersects([1, 2], [2u, 5])", "true"},
      {"sets.intersects([1], [])", "false"},
      {"sets.equivalent([1, 1, 2], [2, 1])", "true"},
      {"sets.equivalent([1], [1, 2])", "false"},
      {"sets.contains(1, [])", "compile: sets.contains() does not take int, list"},
      {"sets.union([], [])", "compile: the function 'sets.union' is not supported"},
  };
  expect_vectors(kVectors);
}

TEST(SelectorVectors, Conversions) {
  constexpr Vector kVectors[] = {
      {"int(1u) + int(2.9) + int(-2.9) + int('-7')", "-6"},
      {"int('+7')", "7"},
      {"int('0x7')", "run: '0x7' is not of int"},
      {"int('')", "run: is not of int"},
      {"int('9223372036854775808')", "run: is not of int"},
      {"int(18446744073709551615u)", "run: leaves the range of int"},
      {"int(9223372036854775807.0)", "run: leaves the range of int"},
      {"int(0.0 / 0.0)", "run: leaves the range of int"},
      {"int(true)", "compile: int() does not take bool; accepted: int(int), int(uint)"},
      {"uint(1) + uint('2') + uint(3.7)", "6u"},
      {"uint(-1)", "run: leaves the range of uint"},
      {"uint(-0.5)", "run: leaves the range of uint"},
      {"uint(18446744073709551616.0)", "run: leaves the range of uint"},
      {"uint('-1')", "run: is not of uint"},
      {"double(1) + double(2u) + double('1.5')", "4.5"},
      {"double('1e3')", "1000.0"},
      {"double('x')", "run: 'x' is not of double"},
      {"string(1) + string(2u) + string(true) + string(b'x')", "'12truex'"},
      {"string(1.0)", "'1'"},
      {"string(0.1)", "'0.1'"},
      {"string(100000.0)", "'100000'"},
      {"string(1000000.0)", "'1e+06'"},
      {"string(0.0001)", "'0.0001'"},
      {"string(0.00001)", "'1e-05'"},
      {"string(-1.0 / 0.0)", "'-Inf'"},
      {"string(b'\\xff')", "run: are not UTF-8"},
      {"bytes('\u00e9') == b'\\xc3\\xa9'", "true"},
      {"bool('true') && bool('1') && !bool('F')", "true"},
      {"bool('yes')", "run: 'yes' is neither true nor false"},
      {"bool(true)", "true"},
      {"dyn(1)", "1"},
      {"type(quantity('1')) == type(quantity('2'))", "true"},
  };
  expect_vectors(kVectors);
}

TEST(SelectorVectors, Quantities) {
  constexpr Vector kVectors[] = {
      {"quantity('40Gi')", "quantity(42949672960)"},
      {"quantity('500m').compareTo(quantity('0.5'))", "0"},
      {"quantity('1Gi').compareTo(quantity('1G'))", "1"},
      {"quantity('1Gi').isGreaterThan(quantity('1023Mi'))", "true"},
      {"quantity('1k').isLessThan(quantity('1Ki'))", "true"},
      {"quantity('1k') == quantity('1000') && quantity('1') != quantity('2')", "true"},
      {"quantity('1') == 1", "compile: '==' does not take quantity, int"},
      {"quantity('1') < quantity('2')", "compile: '<' does not take quantity, quantity"},
      {"quantity('x')", "compile: column 1: 'x' is not a quantity"},
      {"quantity('x' + '')", "run: 'x' is not a quantity"},
      {"isQuantity('1.5Gi') && !isQuantity('1.5Gib')", "true"},
      {"quantity('2k').asInteger()", "2000"},
      {"quantity('1500m').asInteger()", "run: is no whole number"},
      {"quantity('1500m').isInteger()", "false"},
      {"quantity('1500m').asApproximateFloat()", "1.5"},
      {"quantity('-1').sign() + quantity('0').sign() * 10 + quantity('3').sign() * 100", "99"},
      {"quantity('1k').add(quantity('1')).sub(5).add(1)", "quantity(997)"},
      {"quantity('1').add(1.0)", "compile: add() does not take quantity, double"},
      {"quantity(1)", "compile: quantity() does not take int; accepted: quantity(string)"},
      {"'1'.quantity()", "compile: 'quantity' is not called like this; accepted: quantity(string)"},
  };
  expect_vectors(kVectors);
}

TEST(SelectorVectors, Versions) {
  constexpr Vector kVectors[] = {
      {"semver('1.2.3-rc.1+build')", "1.2.3-rc.1+build"},
      {"semver('1.10.0').compareTo(semver('1.9.9'))", "1"},
      {"semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))", "true"},
      {"semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))", "true"},
      {"semver('1.0.0+a') == semver('1.0.0+b')", "true"},
      {"semver('3.2.1').major() * 100 + semver('3.2.1').minor() * 10 + semver('3.2.1').patch()",
       "321"},
      {"semver('18446744073709551615.0.0').major()", "run: leaves the range of int"},
      {"semver('v1.2')", "compile: 'v1.2' is not a semantic version"},
      {"semver('v1.2', true)", "1.2.0"},
      {"semver('v1.2', false)", "run: 'v1.2' is not a semantic version"},
      {"isSemver('1.2.3') && !isSemver('1.2') && isSemver('1.2', true)", "true"},
      {"semver('1.2.3').compareTo(quantity('1'))", "compile: compareTo() does not take semver"},
      {"semver('1.2.3') < semver('1.2.4')", "compile: '<' does not take semver, semver"},
  };
  expect_vectors(kVectors);
}

TEST(SelectorVectors, WhatIsNotSupportedIsNamed) {
  constexpr Vector kVectors[] = {
      {"'a'.format([1])", "compile: the function 'format' is not supported"},
      {"ip('1.2.3.4')", "compile: the function 'ip' is not supported"},
      {"timestamp('x')", "compile: the function 'timestamp' is not supported"},
      {"false && nosuch()", "compile: the function 'nosuch' is not supported"},
      {"[1].exist(x, x == 1)", "compile: the function 'exist' is not supported"},
      {"math.greatest(1, 2)", "compile: the function 'math.greatest' is not supported"},
      {"regex.extract('a', 'a')", "compile: the function 'regex.extract' is not supported"},
      {"device.driver.exist()", "compile: did you mean one of: exists, exists_one?"},
      {"startsWith('a', 'b')", "compile: accepted: string.startsWith(string)"},
  };
  expect_vectors(kVectors);
}

// find_function takes rows that stand together for all of a function.
TEST(SelectorFunctions, RowsOfOneFunctionStandTogether) {
  std::set<std::pair<std::string_view, Form>> seen;
  for (const Form form : {Form::kGlobal, Form::kMember, Form::kOperator}) {
    for (const std::string_view name : function_names(form)) {
      EXPECT_TRUE(seen.insert({name, form}).second) << name;
      EXPECT_FALSE(find_function(name, form).empty()) << name;
    }
  }
}

}  // namespace
}  // namespace berth::selector::testing

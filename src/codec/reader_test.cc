#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "codec/json_reader.h"
#include "codec/limits.h"
#include "codec/writer.h"
#include "codec/yaml_reader.h"

namespace berth::codec {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string yaml_error(std::string_view text) {
  const auto document = read_yaml(text);
  return document ? "accepted: " + write_json_line(*document) : document.error().to_text();
}
std::string json_error(std::string_view text) {
  const auto document = read_json(text);
  return document ? "accepted: " + write_json_line(*document) : document.error().to_text();
}
std::string from_yaml(std::string_view text) {
  const auto document = read_yaml(text);
  return document ? write_json_line(*document) : document.error().to_text();
}

TEST(YamlReader, KnowsTheKindsOfPlainWords) {
  EXPECT_EQ(
      from_yaml("[1, -2, +3, -0, 1.50, +1.5, .5, 1e3, true, False, ~, null, text, '1', \"~\"]"),
      R"([1,-2,3,0,1.50,1.5,0.5,1e3,true,false,null,null,"text","1","~"])");
  EXPECT_EQ(
      from_yaml("[0x10, 0o17, 007, 1_000, 1:30, .inf, -.INF, .nan, yes, off, 5., 25%, 1/4]"),
      R"(["0x10","0o17","007","1_000","1:30",".inf","-.INF",".nan","yes","off","5.","25%","1/4"])");
  EXPECT_EQ(from_yaml("a:\nb: \"x\"\n"), R"({"a":null,"b":"x"})");
  EXPECT_EQ(from_yaml(""), "null");
  EXPECT_EQ(from_yaml("\xef\xbb\xbf"
                      "a: 1\r\nb: 2\r\n"),
            R"({"a":1,"b":2})");
  EXPECT_EQ(from_yaml("text: |\n  one\n  two\n"), R"({"text":"one\ntwo\n"})");
}

TEST(YamlReader, KnowsLinesAndColumns) {
  const auto document = read_yaml("a: 1\nlist:\n  - x\n  - {b: 2}\nempty:\nlast: 3\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->find("a")->position().column, 4);
  const Document& list = *document->find("list");
  EXPECT_EQ(list.position().line, 3);
  EXPECT_EQ(list.items()[1].find("b")->position().line, 4);
  EXPECT_EQ(document->find("empty")->position().line, 5);
  EXPECT_EQ(document->members().back().position.line, 6);
}

TEST(YamlReader, RefusesWhatIsNotPlain) {
  EXPECT_EQ(yaml_error("a: 1\nb: {c: 1, d: 2, c: 3}\n"),
            "line 2: b.c: is given twice, first on line 2");
  EXPECT_THAT(yaml_error("a: &x 1\nb: *x\n"),
              StartsWith("line 1: a: anchors (&name) are not accepted"));
  EXPECT_THAT(yaml_error("b: *x\n"), HasSubstr("anchor is not defined"));
  EXPECT_THAT(yaml_error("a: !!str 1\n"), HasSubstr("tag"));
  EXPECT_THAT(yaml_error("a: !include x\n"), StartsWith("line 1: a: the tag '!include'"));
  EXPECT_THAT(yaml_error("a: !x [1]\n"), HasSubstr("tag"));
  EXPECT_THAT(yaml_error("? [a]\n: 1\n"), HasSubstr("no key"));
  EXPECT_THAT(yaml_error(": 1\n"), HasSubstr("key is missing"));
  EXPECT_THAT(yaml_error("a: 1\n---\nb: 2\n"), HasSubstr("second document"));
  EXPECT_THAT(yaml_error("a: [1\n"), StartsWith("line 2: is not YAML"));
  EXPECT_THAT(yaml_error("a: b: c\n"), StartsWith("line 1: is not YAML"));
  EXPECT_THAT(yaml_error(std::string("a: \0", 4)),
              StartsWith("line 1: holds the control character 0x00"));
  EXPECT_THAT(yaml_error("x: 1\na: \xff\xfe\n"), StartsWith("line 2: holds the byte 0xff"));
  EXPECT_THAT(yaml_error("a: \"\\0\"\n"), HasSubstr("zero character"));
}

TEST(YamlReader, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(
      yaml_error("a:\n  b: 9223372036854775808\n"),
      "line 2: a.b: the whole number '9223372036854775808' does not fit in 64 bits; put it in "
      "quotes if it is text");
  EXPECT_EQ(from_yaml("-9223372036854775808"), "-9223372036854775808");
  EXPECT_THAT(yaml_error("[1e999]"), HasSubstr("[0]: the number '1e999' is too large"));
  EXPECT_THAT(yaml_error("[-1e-999]"), HasSubstr("too close to 0"));
}

TEST(JsonReader, GivesTheSameTreeAndLines) {
  const auto document =
      read_json("{\"a\": [1,\n 2.50, 7\n],\n\"b\"\n: {\"c\": null, \"d\": true}}\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(write_json_line(*document), R"({"a":[1,2.50,7],"b":{"c":null,"d":true}})");
  const Document& list = *document->find("a");
  EXPECT_EQ(list.position().line, 1);
  EXPECT_EQ(list.position().column, 7);
  EXPECT_EQ(list.items()[1].position().line, 2);
  EXPECT_EQ(list.items()[2].position().line, 2);
  EXPECT_EQ(list.items()[2].position().column, 8);
  EXPECT_EQ(document->members()[1].position.line, 4);
  EXPECT_EQ(document->find("b")->position().line, 5);
}

TEST(JsonReader, RefusesWithLineAndPath) {
  EXPECT_EQ(json_error("{\"a\": 1,\n \"b\": [{\"c\": 1,\n\"c\": 2}]}"),
            "line 3: b[0].c: is given twice, first on line 2");
  EXPECT_THAT(json_error("{\"a\":\n 18446744073709551615}"),
              StartsWith("line 2: a: the whole number '18446744073709551615' does not fit"));
  EXPECT_THAT(json_error("[99999999999999999999999]"), HasSubstr("does not fit in 64 bits"));
  EXPECT_THAT(json_error("[1e999]"), HasSubstr("is too large"));
  EXPECT_THAT(json_error("[1e-999]"), HasSubstr("too close to 0"));
  EXPECT_THAT(json_error("[NaN]"), StartsWith("line 1: [0]: is not JSON"));
  EXPECT_THAT(json_error("[1,]"), StartsWith("line 1: [1]: is not JSON"));
  EXPECT_THAT(json_error("{\"a\": 1} x"), HasSubstr("is not JSON"));
  EXPECT_THAT(json_error("// no\n1"), HasSubstr("is not JSON"));
  EXPECT_THAT(json_error("[01]"), HasSubstr("is not JSON"));
  EXPECT_THAT(json_error(""), HasSubstr("is not JSON"));
  EXPECT_THAT(json_error("\"\\ud800\""), HasSubstr("is not JSON"));
  EXPECT_THAT(json_error("\"\\u0000\""), HasSubstr("zero character"));
}

TEST(Readers, HoldTheirLimits) {
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  EXPECT_THAT(json_error(deep), HasSubstr("deeper than 64"));
  EXPECT_THAT(yaml_error(deep), HasSubstr("deeper than 64"));
  const std::string fits = std::string(64, '[') + std::string(64, ']');
  EXPECT_TRUE(read_json(fits).has_value());
  EXPECT_TRUE(read_yaml(fits).has_value());
  const std::string large(kTextBytesLimit + 1, ' ');
  EXPECT_THAT(json_error(large), HasSubstr("at most 8388608 are accepted"));
  EXPECT_THAT(yaml_error(large), HasSubstr("at most 8388608 are accepted"));
  std::string many = "[0";
  for (std::size_t i = 0; i < kNodeLimit; ++i) many += ",0";
  EXPECT_THAT(json_error(many + "]"), HasSubstr("limit of 1000000 values"));
  const std::string key(kKeyBytesLimit + 1, 'k');
  EXPECT_THAT(json_error("{\"" + key + "\": 1}"), HasSubstr("at most 320 are accepted"));
  EXPECT_THAT(yaml_error(key + ": 1"), HasSubstr("at most 320 are accepted"));
  EXPECT_THAT(yaml_error("a: " + std::string(1'100'000, 'x')),
              HasSubstr("the line has 1100003 bytes"));
}

// Texts that make naive readers quadratic or worse are answered at once.
TEST(Readers, AreLinearOnHostileTexts) {
  const auto repeated = [](std::string_view piece, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += piece;
    return text;
  };
  const std::size_t bytes = 1024 * 1024;
  const auto start = std::chrono::steady_clock::now();
  for (const std::string_view piece : {"[",    "{",   "[\n",         "- ",     "-\n",    "? ",
                                       "? \n", "a: ", "a:\n ",       "\"",     "'\n",    "#\n",
                                       "|\n",  "&a ", "%YAML 1.2\n", "--- \n", "{a: \n", "[[],\n",
                                       "x\n",  "!a ", "\t",          ": ",     ", ",     "]"}) {
    const std::string text = repeated(piece, bytes);
    (void)read_yaml(text);
    (void)read_json(text);
  }
  const auto spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(std::chrono::duration_cast<std::chrono::seconds>(spent).count(), 30);
}

}  // namespace
}  // namespace berth::codec

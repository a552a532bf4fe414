// rapidcheck generators of Documents and hostile strings, for the property tests of this room.
#pragma once

#include <rapidcheck.h>

#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codec/document.h"
#include "codec/quantity.h"
#include "codec/writer.h"

namespace berth::codec {

// How rapidcheck prints a counterexample.
inline void showValue(const Document& document, std::ostream& stream) {
  stream << write_json_line(document);
}

namespace testing {

// Words that are easily taken for something else, and characters that need escapes.
inline rc::Gen<std::string> any_text() {
  const auto tricky = rc::gen::element<std::string>(
      "", " ", "~", "null", "Null", "true", "False", "yes", "no", "on", "1", "-0", "007", "0x10",
      "0o17", "1e5", "1_000", "1:30", ".inf", "-.INF", ".nan", "12345678901234567890", "1.", ".5",
      "- a", "a: b", "a #b", "#", "&a", "*a", "!t", "|", ">", "'", "\"", "%", "@", "`", "---",
      "...", "? x", "[", "]", "{", "}", ",", "a\nb", "\n", "a\n\n b\n", "\ttab", "trailing ", "\r",
      "\x01", "\x7f", "\xc2\x85", "\xe2\x80\xa8", "\xef\xbb\xbf", "\xef\xbf\xbe", "\xef\xbf\xbf",
      "\xf0\x9f\x9a\xa2", "é", "\\", "\\n", "<<", "=", "2026-11-28", "5d", "80GiB", "25%", "1/4");
  const auto piece = rc::gen::oneOf(tricky, rc::gen::map(rc::gen::inRange(1, 0x80), [](int c) {
                                      return std::string(1, char(c));
                                    }));
  return rc::gen::oneOf(tricky, rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                                             [](const std::vector<std::string>& parts) {
                                               std::string text;
                                               for (const auto& part : parts) text += part;
                                               return text;
                                             }));
}

inline rc::Gen<std::string> any_key() {
  return rc::gen::map(any_text(), [](std::string text) {
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    return text.size() > 300 ? std::string("long") : text;
  });
}

inline rc::Gen<Document> any_scalar() {
  return rc::gen::oneOf(
      rc::gen::just(Document()), rc::gen::map(rc::gen::arbitrary<bool>(), &Document::boolean),
      rc::gen::map(rc::gen::arbitrary<std::int64_t>(), &Document::integer),
      rc::gen::map(rc::gen::arbitrary<double>(), &number_document),
      rc::gen::map(rc::gen::element<std::string>("0.50", "-0.0", "1e3", "1E-07", "12.0e+1"),
                   &Document::decimal),
      rc::gen::map(any_text(), &Document::string));
}

inline Document list_of_documents(const std::vector<Document>& items) {
  Document list = Document::list();
  for (const Document& item : items) list.append(item);
  return list;
}

inline Document map_of_documents(const std::vector<std::pair<std::string, Document>>& members) {
  Document map = Document::map();
  std::set<std::string> seen;
  for (const auto& [key, value] : members) {
    if (seen.insert(key).second) map.add(key, value);
  }
  return map;
}

inline rc::Gen<Document> any_document(int depth) {
  if (depth == 0) return any_scalar();
  const auto below = any_document(depth - 1);
  return rc::gen::resize(
      8, rc::gen::oneOf(
             any_scalar(),
             rc::gen::map(rc::gen::container<std::vector<Document>>(below), &list_of_documents),
             rc::gen::map(rc::gen::container<std::vector<std::pair<std::string, Document>>>(
                              rc::gen::pair(any_key(), below)),
                          &map_of_documents)));
}

}  // namespace testing
}  // namespace berth::codec

// Reading what was written gives the same Document, in both formats.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "codec/document_generators.h"
#include "codec/json_reader.h"
#include "codec/scalar.h"
#include "codec/writer.h"
#include "codec/yaml_reader.h"

namespace berth::codec {
namespace {

using testing::any_document;
using testing::any_text;

void expect_same(const Result<Document>& read, const Document& document, const std::string& text) {
  RC_LOG(text);
  if (!read) RC_FAIL(read.error().to_text());
  RC_ASSERT(*read == document);
}

RC_GTEST_PROP(WriterProperty, YamlIsReadBack, ()) {
  const Document document = *any_document(3);
  const std::string text = write_yaml(document);
  expect_same(read_yaml(text), document, text);
}

RC_GTEST_PROP(WriterProperty, JsonIsReadBack, ()) {
  const Document document = *any_document(3);
  const std::string text = write_json(document);
  expect_same(read_json(text), document, text);
  const std::string line = write_json_line(document);
  RC_ASSERT(line.find('\n') == std::string::npos);
  expect_same(read_json(line), document, line);
}

// JSON written by us is YAML too: a .yaml file may hold it.
RC_GTEST_PROP(WriterProperty, JsonIsYaml, ()) {
  const Document document = *any_document(2);
  const std::string text = write_json(document);
  expect_same(read_yaml(text), document, text);
}

RC_GTEST_PROP(WriterProperty, PlainTextStaysText, ()) {
  const auto letter = rc::gen::element('0', '1', '9', 'e', 'E', 'x', 'o', 'n', 'y', '.', '-', '+',
                                       '_', '/', '%', 'd', 's', 'G');
  const std::string text = *rc::gen::container<std::string>(letter);
  if (!is_safe_plain(text)) return;
  const auto scalar = plain_scalar(text);
  RC_ASSERT(scalar.has_value());
  RC_ASSERT(*scalar == Document::string(text));
}

}  // namespace
}  // namespace berth::codec

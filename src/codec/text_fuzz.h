// What must hold of every text that a reader of codec/ accepts, for the fuzzers of both formats.
#pragma once

#include <string>
#include <string_view>

#include "base/check.h"
#include "codec/file.h"
#include "codec/fleet_codec.h"
#include "codec/gpu_model_codec.h"
#include "codec/job_codec.h"
#include "codec/policy_codec.h"

namespace berth::codec::fuzz {

// An accepted object is written and read back unchanged.
template <typename T>
void check_object(const Document& document, TextFormat format) {
  const Parsed<T> object = from_document<T>(document, "fuzz");
  if (!object) {
    BERTH_CHECK(!object.error().items.empty() && !object.error().to_text().empty());
    return;
  }
  for (const WriteStyle style : {WriteStyle::kFull, WriteStyle::kWithoutDefaults}) {
    const std::string text = write_text(to_document(*object, style), format);
    const Parsed<T> again = from_text<T>(text, format, "fuzz");
    BERTH_CHECK(again.has_value() && *again == *object);
  }
}

// An accepted text is written and read back unchanged, in both formats.
inline void check_text(std::string_view text, TextFormat format) {
  const Result<Document> document = read_text(text, format);
  if (!document) {
    BERTH_CHECK(!document.error().message.empty());
    return;
  }
  for (const TextFormat other : {TextFormat::kYaml, TextFormat::kJson}) {
    const std::string written = write_text(*document, other);
    const Result<Document> again = read_text(written, other);
    BERTH_CHECK(again.has_value() && *again == *document);
    BERTH_CHECK(write_text(*again, other) == written);
  }
  check_object<JobFile>(*document, format);
  check_object<FleetFile>(*document, format);
  check_object<PolicySpec>(*document, format);
  check_object<MixFile>(*document, format);
  check_object<GpuModel>(*document, format);
}

}  // namespace berth::codec::fuzz

// JSON text (RFC 8259, no comments) -> Document, with the line of every value and the same limits
// and refusals as YAML. The one file that uses nlohmann/json is json_reader.cc.
#pragma once

#include <string_view>

#include "base/error.h"
#include "codec/document.h"

namespace berth::codec {

Result<Document> read_json(std::string_view text);

}  // namespace berth::codec

// YAML text -> Document. Accepted is the part of YAML 1.2 that means one thing to everyone: one
// document of lists, maps and scalars. Refused with a message: anchors and aliases, tags, keys that
// are not plain text, duplicate keys, numbers that do not fit, and whatever goes beyond
// codec/limits.h. The one file that uses yaml-cpp is yaml_reader.cc; its exceptions end there.
#pragma once

#include <string_view>

#include "base/error.h"
#include "codec/document.h"

namespace berth::codec {

Result<Document> read_yaml(std::string_view text);

}  // namespace berth::codec

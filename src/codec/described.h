// The objects that users write, as one list: for reference documentation and JSON Schemas.
#pragma once

#include <vector>

#include "codec/schema_info.h"

namespace berth::codec {

// Each root object once; what it holds is found through it.
std::vector<const SchemaInfo*> described_objects();

}  // namespace berth::codec

// What viewers must not read of an answer that they may see: the values of environment variables.
#pragma once

#include "codec/document.h"

namespace berth::server {

inline constexpr const char* kHidden = "hidden";

// The document with each value of each map that is called "environment" replaced, at any depth.
codec::Document without_environment(const codec::Document& document);

}  // namespace berth::server

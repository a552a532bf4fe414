// Regular expressions of matches(): RE2, as in Kubernetes, with limits of its own.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string_view>

#include "base/error.h"

namespace berth::selector {

// The same rules for a literal, which is compiled once, and for what comes up in an evaluation.
Result<std::unique_ptr<const re2::RE2>> compile_pattern(std::string_view pattern);

}  // namespace berth::selector

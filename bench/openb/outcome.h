// The one error type of the openb comparison.
// Owns: the alias only. Must never carry an empty message: the text says what is wrong, which value
// it is about and what would be accepted, ready to be shown to a user.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace berth::bench::openb {

template <class T>
using Outcome = tl::expected<T, std::string>;

using Failure = tl::unexpected<std::string>;

}  // namespace berth::bench::openb

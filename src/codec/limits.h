// Limits on every text that is read: what a hand-written or generated file may need, and nothing
// that could exhaust the memory of the reader.
#pragma once

#include <cstddef>

namespace berth::codec {

inline constexpr std::size_t kTextBytesLimit = 8 * 1024 * 1024;
inline constexpr std::size_t kDepthLimit = 64;        // nested lists and maps
inline constexpr std::size_t kNodeLimit = 1'000'000;  // values in one text
// A key written with escapes must stay below YAML's 1,024 characters for a key on its line.
inline constexpr std::size_t kKeyBytesLimit = 320;
inline constexpr std::size_t kErrorLimit = 20;  // collected per text

}  // namespace berth::codec

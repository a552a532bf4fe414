// What error messages say of texts: values in quotes, places in a source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::selector {

// 'text', cut where it is long, with control characters and broken UTF-8 made visible.
std::string quoted(std::string_view text);

// "column 12", or "line 2, column 3" where the source has several lines; both count from 1,
// columns in code points.
std::string place_in(std::string_view source, std::size_t offset);

}  // namespace berth::selector

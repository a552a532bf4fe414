// Text -> HTML text and attribute values. Every string of the user goes through html_text.
#pragma once

#include <string>
#include <string_view>

namespace berth::sim {

// Escapes & < > " ' and drops control characters other than tab and line end.
std::string html_text(std::string_view text);

// JSON text that may stand inside <script>: no "<", ">" or "&" left.
std::string json_for_script(std::string_view json);

}  // namespace berth::sim

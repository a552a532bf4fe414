// Scenario files: every text is refused with a message or read; short ones are run, and then the
// runner's own checks must hold whatever the script did.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sim/scenario/runner.h"
#include "sim/scenario/script.h"
#include "sim/scenario/verbs.h"

namespace {

using berth::sim::Script;

constexpr std::size_t kCommands = 24;
constexpr int kLongNumber = 3;  // digits; larger counts make runs too slow for a fuzzer

bool has_long_number(std::string_view text) {
  int digits = 0;
  for (const char c : text) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    if (digits >= kLongNumber) return true;
  }
  return false;
}

// Counts of things are small; amounts (memory=, usable=) may be as large as they like.
bool is_cheap(std::string_view command) {
  for (const std::string_view key : {"tasks=", "gpus=", "count=", "replicas=", "["}) {
    const std::size_t at = command.find(key);
    if (at != std::string_view::npos && has_long_number(command.substr(at, key.size() + 8))) {
      return false;
    }
  }
  return true;
}

bool is_short(const Script& script) {
  std::size_t commands = 0;
  for (const auto& block : script.blocks) {
    for (const auto& command : block.commands) {
      if (!is_cheap(command.text)) return false;
      ++commands;
    }
  }
  return commands <= kCommands;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto script = berth::sim::parse_script(text);
  if (!script) return 0;
  for (const auto& block : script->blocks) {
    for (const auto& command : block.commands) (void)berth::sim::parse_step(command.text);
  }
  if (!is_short(*script)) return 0;
  const auto outcome = berth::sim::run_scenario(text, "fuzz", berth::sim::ScenarioSetting{});
  if (!outcome) {
    // broken invariants, and journals or states that do not come back
    if (outcome.error().code == berth::ErrorCode::kCorrupt) std::abort();
    return 0;
  }
  const std::string_view broken = outcome->broken;
  if (broken.find("another state") != std::string_view::npos) std::abort();
  if (broken.find(" fails: ") != std::string_view::npos) std::abort();
  return 0;
}

// Script: a scenario file as text: blocks of commands, each with the transcript that is expected.
//
//   # why this block exists
//   submit a gpus=2
//   cycle
//   ----
//   place a n1:[0-1]
//
// A block's transcript ends at the next blank line. This file knows lines and nothing of what the
// commands mean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace berth::sim {

inline constexpr std::size_t kScriptBytes = std::size_t{1} << 20;
inline constexpr std::size_t kScriptLines = 20'000;
inline constexpr std::size_t kScriptLineBytes = 4'096;

struct ScriptCommand {
  int line = 0;  // 1-based
  std::string text;
};

struct ScriptBlock {
  std::vector<ScriptCommand> commands;
  std::vector<std::string> expected;
  int expected_line = 0;          // of the first expected line, or where it would stand
  std::size_t expected_from = 0;  // index into Script::lines
  std::size_t expected_count = 0;
};

struct Script {
  std::vector<std::string> lines;  // of the whole file
  std::vector<ScriptBlock> blocks;
};

// Refuses files beyond the limits, control characters, and blocks without "----".
Result<Script> parse_script(std::string_view text);

// The file with `found[i]` as the transcript of block i; everything else stays as it was.
std::string with_transcripts(const Script& script,
                             const std::vector<std::vector<std::string>>& found);

}  // namespace berth::sim

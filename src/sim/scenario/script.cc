#include "sim/scenario/script.h"

#include <algorithm>

namespace berth::sim {
namespace {

constexpr std::string_view kDivider = "----";

tl::unexpected<Error> refuse(ErrorCode code, std::string message, std::size_t index) {
  return tl::unexpected(Error{code, std::move(message), {}, static_cast<int>(index) + 1});
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '#';
}

bool has_control_characters(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
  });
}

Result<std::vector<std::string>> split_lines(std::string_view text) {
  if (text.size() > kScriptBytes) {
    return fail(ErrorCode::kLimitExceeded, "the file has " + std::to_string(text.size()) +
                                               " bytes; at most " + std::to_string(kScriptBytes) +
                                               " are accepted");
  }
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.size() > kScriptLineBytes) {
      return refuse(ErrorCode::kLimitExceeded,
                    "the line has " + std::to_string(line.size()) + " bytes; at most " +
                        std::to_string(kScriptLineBytes) + " are accepted",
                    lines.size());
    }
    if (has_control_characters(line)) {
      return refuse(ErrorCode::kInvalid, "the line holds a control character", lines.size());
    }
    if (lines.size() == kScriptLines) {
      return refuse(ErrorCode::kLimitExceeded,
                    "at most " + std::to_string(kScriptLines) + " lines are accepted",
                    lines.size());
    }
    lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

Result<Script> parse_script(std::string_view text) {
  auto lines = split_lines(text);
  if (!lines) return tl::unexpected(lines.error());
  Script script;
  script.lines = std::move(*lines);
  std::size_t at = 0;
  while (at < script.lines.size()) {
    if (is_blank(script.lines[at]) || is_comment(script.lines[at])) {
      ++at;
      continue;
    }
    ScriptBlock block;
    for (; at < script.lines.size() && script.lines[at] != kDivider; ++at) {
      if (is_blank(script.lines[at]) || is_comment(script.lines[at])) continue;
      block.commands.push_back({static_cast<int>(at) + 1, script.lines[at]});
    }
    if (at == script.lines.size()) {
      return refuse(ErrorCode::kInvalid,
                    "the commands from here on end without a line '----'; it is needed after "
                    "them, and below it the answers that must come ('ok' for none; 'berth "
                    "scenario run --update' writes them)",
                    static_cast<std::size_t>(block.commands.front().line) - 1);
    }
    if (block.commands.empty()) {
      return refuse(
          ErrorCode::kInvalid,
          "is '----' without a command before it; a block is commands, '----' and the answers", at);
    }
    block.expected_from = ++at;
    block.expected_line = static_cast<int>(at) + 1;
    for (; at < script.lines.size() && !is_blank(script.lines[at]); ++at) {
      block.expected.push_back(script.lines[at]);
    }
    block.expected_count = block.expected.size();
    script.blocks.push_back(std::move(block));
  }
  if (script.blocks.empty()) {
    return invalid("holds no command; commands, then a line '----' and the answers are accepted");
  }
  return script;
}

std::string with_transcripts(const Script& script,
                             const std::vector<std::vector<std::string>>& found) {
  std::string text;
  std::size_t at = 0;
  const auto copy_until = [&](std::size_t end) {
    for (; at < end; ++at) text += script.lines[at] + "\n";
  };
  for (std::size_t b = 0; b < script.blocks.size() && b < found.size(); ++b) {
    const ScriptBlock& block = script.blocks[b];
    copy_until(block.expected_from);
    for (const std::string& line : found[b]) text += line + "\n";
    at += block.expected_count;
  }
  copy_until(script.lines.size());
  return text;
}

}  // namespace berth::sim

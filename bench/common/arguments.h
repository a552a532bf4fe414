// The command line that all comparisons share: --help, --json FILE, --seeds N, and for those that
// read traces --trace FILE (repeatable) and the folder of traces.
// Owns: reading the words. Must never open a file or start anything.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace berth::bench {

// An option of one program besides the common ones; it takes a value.
struct ExtraOption {
  std::string name;   // "--nodes"
  std::string value;  // "FILE", for the help
  std::string help;
};

// What a program is and takes.
struct Program {
  std::string name;
  std::string about;  // one or more lines, for the help
  std::size_t seeds = 10;
  bool reads_traces = false;
  std::vector<ExtraOption> extras;
};

struct Arguments {
  bool help = false;
  std::string json_file;            // empty: none
  std::size_t seeds = 0;            // at least 1
  std::vector<std::string> traces;  // empty: the built-in list
  std::map<std::string, std::string> extras;

  // The value of an extra option, or `fallback`.
  std::string extra(const std::string& name, const std::string& fallback) const;
};

Result<Arguments> parse_arguments(const Program& program, const std::vector<std::string>& words);

std::string help_text(const Program& program);

// The folder of public traces: $BERTH_TRACES, or where a checkout of them usually lies.
std::string traces_folder();

// The folder of GPU models, fleets and workloads: $BERTH_DATA, or that of a checkout.
std::string data_folder();

}  // namespace berth::bench

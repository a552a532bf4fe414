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
  enum class Takes { kText, kCount, kOneOf, kSomeOf };  // kCount: 1 or more; kSomeOf: "A,B"

  std::string name;   // "--nodes"
  std::string value;  // "FILE", for the help
  std::string help;
  Takes takes = Takes::kText;
  std::vector<std::string> choices = {};  // of kOneOf and kSomeOf
};

// "--instructions CASE": one of these, once, at a small fixed size (tools/instruction_gate.sh).
inline constexpr const char* kCountedOption = "--instructions";
ExtraOption counted_option(std::vector<std::string> names);

// Which traces a program reads: none, the built-in list, or that or any of --trace.
enum class Traces { kNone, kBuiltIn, kAny };

// What a program is and takes.
struct Program {
  std::string name;
  std::string about;       // one or more lines, for the help
  std::size_t seeds = 10;  // without --seeds; 0: there is no such option
  Traces traces = Traces::kNone;
  std::vector<ExtraOption> extras;
};

struct Arguments {
  bool help = false;
  std::string json_file;  // empty: none
  std::size_t seeds = 0;
  std::vector<std::string> traces;  // empty: the built-in list
  std::map<std::string, std::string> extras;

  // The value of an extra option, which is one that it takes, or `fallback`.
  std::string extra(const std::string& name, const std::string& fallback) const;
  // The same of an option that takes a count.
  std::size_t count(const std::string& name, std::size_t fallback) const;
  // Whether an option that takes some of its choices names this one; absent, it means all.
  bool chosen(const std::string& name, const std::string& choice) const;
};

Result<Arguments> parse_arguments(const Program& program, const std::vector<std::string>& words);

std::string help_text(const Program& program);

// The folder of public traces: $BERTH_TRACES, or where a checkout of them usually lies.
std::string traces_folder();

// The folder of GPU models, fleets and workloads: $BERTH_DATA, or that of a checkout.
std::string data_folder();

}  // namespace berth::bench

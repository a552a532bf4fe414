// Command: a subcommand as data: its options, its arguments and what it runs. Declared once; the
// parser, --help, shell completion and the reference come from it. CLI11 is known to parser.cc
// only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/console.h"

namespace berth::cli {

// What the program answers to the shell.
inline constexpr int kDone = 0;
inline constexpr int kDiffers = 1;  // a comparison with what is expected failed
inline constexpr int kUsage = 2;    // wrong arguments, or an input that cannot be used
inline constexpr int kFailed = 3;   // anything else, such as a file that cannot be written

struct OptionSpec {
  enum class Times { kOnce, kMany };

  std::string name;   // "--policy"
  std::string value;  // "NAME|FILE"; empty: a flag
  std::string text;
  std::string fallback;              // what holds without it; may be empty
  std::vector<std::string> choices;  // the accepted values; empty: any
  std::string letter = {};           // "-o"; empty: none
  Times times = Times::kOnce;        // how often it may be given, with one value each time
};

struct ArgumentSpec {
  enum class Count { kOptional, kOne, kMany, kAny };  // kAny: none is as good

  std::string name;  // "FILE"
  std::string text;
  Count count = Count::kOne;
  std::vector<std::string> choices;
};

// What was given on the command line.
class Arguments {
 public:
  void add(const std::string& name, std::string value) {
    values_[name].push_back(std::move(value));
  }
  bool has(const std::string& name) const { return values_.contains(name); }
  // The value, or nothing.
  std::optional<std::string> value(const std::string& name) const;
  std::string value_or(const std::string& name, std::string fallback) const;
  std::vector<std::string> values(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

struct CommandSpec {
  using Run = int (*)(const Arguments& arguments, Console& console);

  std::string name;
  std::string text;
  std::vector<OptionSpec> options;
  std::vector<ArgumentSpec> arguments;
  std::vector<CommandSpec> subcommands;  // then `run` is null
  Run run = nullptr;
};

// Writes the error and gives the exit code for it.
int report(Console& console, const Error& error);
// One wrong value of an option or argument.
int wrong_value(Console& console, const std::string& name, const std::string& message);

}  // namespace berth::cli

#include "bench/common/arguments.h"

#include <charconv>
#include <cstdlib>

#include "base/nearest.h"

namespace berth::bench {
namespace {

constexpr const char* kDefaultTraces = "../shared/traces";
constexpr const char* kDefaultData = "data";
constexpr std::size_t kMostSeeds = 10'000;

Result<std::size_t> read_seeds(const std::string& text) {
  std::size_t seeds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seeds);
  if (error != std::errc() || end != text.data() + text.size() || seeds < 1 || seeds > kMostSeeds) {
    return invalid("is '" + text + "'; a whole number from 1 to " + std::to_string(kMostSeeds) +
                       " is accepted",
                   "--seeds");
  }
  return seeds;
}

// The names that take a value.
std::vector<std::string> options_of(const Program& program) {
  std::vector<std::string> names = {"--json", "--seeds"};
  if (program.reads_traces) names.emplace_back("--trace");
  for (const ExtraOption& extra : program.extras) names.push_back(extra.name);
  return names;
}

Status take(Arguments& arguments, const std::string& name, const std::string& value) {
  if (name == "--json") {
    arguments.json_file = value;
  } else if (name == "--trace") {
    arguments.traces.push_back(value);
  } else if (name == "--seeds") {
    const auto seeds = read_seeds(value);
    if (!seeds) return tl::unexpected(seeds.error());
    arguments.seeds = *seeds;
  } else {
    arguments.extras[name] = value;
  }
  return {};
}

std::string folder_of(const char* variable, const char* fallback) {
  const char* folder = std::getenv(variable);
  return folder != nullptr && *folder != '\0' ? folder : fallback;
}

std::string line(const std::string& option, const std::string& help) {
  constexpr std::size_t kWidth = 18;
  std::string text = "  " + option;
  text += std::string(text.size() < kWidth ? kWidth - text.size() : 1, ' ');
  return text + help + "\n";
}

}  // namespace

std::string Arguments::extra(const std::string& name, const std::string& fallback) const {
  const auto found = extras.find(name);
  return found == extras.end() ? fallback : found->second;
}

Result<Arguments> parse_arguments(const Program& program, const std::vector<std::string>& words) {
  Arguments arguments;
  arguments.seeds = program.seeds;
  std::vector<std::string> known = options_of(program);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i];
    if (name == "--help" || name == "-h") {
      arguments.help = true;
      continue;
    }
    const std::size_t equals = name.find('=');
    const bool joined = name.rfind("--", 0) == 0 && equals != std::string::npos;
    std::string value = joined ? name.substr(equals + 1) : "";
    if (joined) name.resize(equals);
    bool is_known = false;
    for (const std::string& option : known) is_known = is_known || option == name;
    if (!is_known) {
      known.emplace_back("--help");
      return invalid("'" + name + "' is not an option" + suggestion(name, known));
    }
    if (!joined) {
      if (++i == words.size()) return invalid("needs a value", name);
      value = words[i];
    }
    if (value.empty()) return invalid("needs a value", name);
    if (auto s = take(arguments, name, value); !s) return tl::unexpected(s.error());
  }
  return arguments;
}

std::string help_text(const Program& program) {
  std::string text = program.about + "\n\nUse: " + program.name + " [options]\n\n";
  text += line("--json FILE", "write all rows to FILE as JSON");
  text += line("--seeds N", "runs of each policy; default " + std::to_string(program.seeds));
  if (program.reads_traces) {
    text += line("--trace FILE", "use this trace instead of the built-in list; repeatable");
  }
  for (const ExtraOption& extra : program.extras) {
    text += line(extra.name + " " + extra.value, extra.help);
  }
  text += line("--help", "this text");
  if (program.reads_traces) {
    text += std::string("\nBERTH_TRACES names the folder of public traces; default ") +
            kDefaultTraces + "\n";
  }
  return text;
}

std::string traces_folder() { return folder_of("BERTH_TRACES", kDefaultTraces); }

std::string data_folder() { return folder_of("BERTH_DATA", kDefaultData); }

}  // namespace berth::bench

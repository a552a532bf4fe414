#include "bench/common/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "base/nearest.h"

namespace berth::bench {
namespace {

constexpr const char* kDefaultTraces = "../shared/traces";
constexpr const char* kDefaultData = "data";
constexpr std::size_t kMostRuns = 10'000;

Result<std::size_t> read_count(const std::string& option, const std::string& text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > kMostRuns) {
    return invalid(
        "is '" + text + "'; a whole number from 1 to " + std::to_string(kMostRuns) + " is accepted",
        option);
  }
  return count;
}

// "A,B" -> {"A", "B"}
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    words.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Status check_extra(const ExtraOption& option, const std::string& value) {
  using Takes = ExtraOption::Takes;
  if (option.takes == Takes::kText) return {};
  if (option.takes == Takes::kCount) {
    const auto count = read_count(option.name, value);
    return count ? Status{} : tl::unexpected(count.error());
  }
  const bool some = option.takes == Takes::kSomeOf;
  for (const std::string& word : some ? split(value) : std::vector<std::string>{value}) {
    if (contains(option.choices, word)) continue;
    return invalid("'" + word + "' is not accepted" +
                       suggestion(word, std::span<const std::string>(option.choices)),
                   option.name);
  }
  return {};
}

// The names that take a value.
std::vector<std::string> options_of(const Program& program) {
  std::vector<std::string> names = {"--json"};
  if (program.seeds > 0) names.emplace_back("--seeds");
  if (program.traces == Traces::kAny) names.emplace_back("--trace");
  for (const ExtraOption& extra : program.extras) names.push_back(extra.name);
  return names;
}

Status take(Arguments& arguments, const Program& program, const std::string& name,
            const std::string& value) {
  if (name == "--json") {
    arguments.json_file = value;
  } else if (name == "--trace") {
    arguments.traces.push_back(value);
  } else if (name == "--seeds") {
    const auto seeds = read_count(name, value);
    if (!seeds) return tl::unexpected(seeds.error());
    arguments.seeds = *seeds;
  } else {
    for (const ExtraOption& option : program.extras) {
      if (option.name != name) continue;
      if (auto s = check_extra(option, value); !s) return s;
    }
    arguments.extras[name] = value;
  }
  return {};
}

std::string folder_of(const char* variable, const char* fallback) {
  const char* folder = std::getenv(variable);
  return folder != nullptr && *folder != '\0' ? folder : fallback;
}

struct HelpLine {
  std::string option;
  std::string help;
};

std::string aligned(const std::vector<HelpLine>& lines) {
  std::size_t width = 0;
  for (const HelpLine& line : lines) width = std::max(width, line.option.size());
  std::string text;
  for (const HelpLine& line : lines) {
    const std::string gap(width - line.option.size() + 2, ' ');
    text += "  " + line.option + gap + line.help + "\n";
  }
  return text;
}

// "only these: fill, churn"
std::string help_of(const ExtraOption& option) {
  std::string text = option.help;
  if (option.takes != ExtraOption::Takes::kSomeOf) return text;
  for (const std::string& choice : option.choices) {
    text += (&choice == &option.choices.front() ? ": " : ", ") + choice;
  }
  return text;
}

}  // namespace

ExtraOption counted_option(std::vector<std::string> names) {
  return {kCountedOption, "CASE", "run CASE once at a small fixed size, to count its instructions",
          ExtraOption::Takes::kOneOf, std::move(names)};
}

std::size_t Arguments::count(const std::string& name, std::size_t fallback) const {
  const auto found = extras.find(name);
  return found == extras.end() ? fallback : std::stoul(found->second);
}

std::string Arguments::extra(const std::string& name, const std::string& fallback) const {
  const auto found = extras.find(name);
  return found == extras.end() ? fallback : found->second;
}

bool Arguments::chosen(const std::string& name, const std::string& choice) const {
  const auto found = extras.find(name);
  return found == extras.end() || contains(split(found->second), choice);
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
    if (!contains(known, name)) {
      known.emplace_back("--help");
      return invalid("'" + name + "' is not an option" + suggestion(name, known));
    }
    if (!joined) {
      if (++i == words.size()) return invalid("needs a value", name);
      value = words[i];
    }
    if (value.empty()) return invalid("needs a value", name);
    if (auto s = take(arguments, program, name, value); !s) return tl::unexpected(s.error());
  }
  return arguments;
}

std::string help_text(const Program& program) {
  std::vector<HelpLine> lines = {{"--json FILE", "write all rows to FILE as JSON"}};
  if (program.seeds > 0) {
    lines.push_back({"--seeds N", "runs of each policy; default " + std::to_string(program.seeds)});
  }
  if (program.traces == Traces::kAny) {
    lines.push_back({"--trace FILE", "use this trace instead of the built-in list; repeatable"});
  }
  for (const ExtraOption& extra : program.extras) {
    lines.push_back({extra.name + " " + extra.value, help_of(extra)});
  }
  lines.push_back({"--help", "this text"});
  std::string text = program.about + "\n\nUse: " + program.name + " [options]\n\n";
  text += aligned(lines);
  if (program.traces != Traces::kNone) {
    text += std::string("\nBERTH_TRACES names the folder of public traces; default ") +
            kDefaultTraces + "\n";
  }
  return text;
}

std::string traces_folder() { return folder_of("BERTH_TRACES", kDefaultTraces); }

std::string data_folder() { return folder_of("BERTH_DATA", kDefaultData); }

}  // namespace berth::bench

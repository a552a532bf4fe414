#include "cli/parser.h"

#include <CLI/CLI.hpp>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/nearest.h"

namespace berth::cli {
namespace {

// The storage that CLI11 writes into, per command of the tree.
struct Bound {
  const CommandSpec* spec = nullptr;
  CLI::App* app = nullptr;
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, bool> flags;
};

std::string described(const std::string& text, const std::string& fallback) {
  return fallback.empty() ? text : text + " [" + fallback + "]";
}

void bind_option(Bound& bound, const OptionSpec& option) {
  const std::string names = option.letter.empty() ? option.name : option.letter + "," + option.name;
  if (option.value.empty()) {
    bound.app->add_flag(names, bound.flags[option.name], option.text);
    return;
  }
  CLI::Option* bind =
      bound.app
          ->add_option(names, bound.values[option.name], described(option.text, option.fallback))
          ->type_name(option.value)
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  if (option.times == OptionSpec::Times::kOnce) return;
  bind->expected(1, CLI::detail::expected_max_vector_size)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void bind_argument(Bound& bound, const ArgumentSpec& argument) {
  CLI::Option* option =
      bound.app->add_option(argument.name, bound.values[argument.name], argument.text);
  option->type_name("");
  if (argument.count == ArgumentSpec::Count::kMany) {
    option->expected(1, CLI::detail::expected_max_vector_size)->required();
  } else if (argument.count == ArgumentSpec::Count::kAny) {
    option->expected(0, CLI::detail::expected_max_vector_size);
  } else {
    option->expected(1);
    // Each takes its own word; of a single one a second word is told to be too many.
    if (bound.spec->arguments.size() > 1) option->allow_extra_args(false);
    if (argument.count == ArgumentSpec::Count::kOne) option->required();
  }
}

void bind(const CommandSpec& spec, CLI::App& app, std::list<Bound>& all) {
  Bound& bound = all.emplace_back();
  bound.spec = &spec;
  bound.app = &app;
  for (const OptionSpec& option : spec.options) bind_option(bound, option);
  for (const ArgumentSpec& argument : spec.arguments) bind_argument(bound, argument);
  if (!spec.subcommands.empty()) app.require_subcommand(1);
  for (const CommandSpec& child : spec.subcommands) {
    bind(child, *app.add_subcommand(child.name, child.text), all);
  }
}

// The deepest command that was named.
const Bound& named(const std::list<Bound>& all) {
  const Bound* deepest = &all.front();
  for (const Bound& bound : all) {
    if (bound.app->parsed()) deepest = &bound;
  }
  return *deepest;
}

std::vector<std::string> words_of(const CommandSpec& spec) {
  std::vector<std::string> words;
  for (const CommandSpec& child : spec.subcommands) words.push_back(child.name);
  for (const OptionSpec& option : spec.options) words.push_back(option.name);
  words.emplace_back("--help");
  return words;
}

std::string path_of(const CLI::App* app) {
  const std::string name = app->get_name();
  const CLI::App* parent = app->get_parent();
  return parent == nullptr ? name : path_of(parent) + " " + name;
}

// "--seed: needs one value, N", "FILE: more than one is given; one is accepted"
std::string mismatch_text(const std::string& told, const CommandSpec& spec) {
  const std::string name = told.substr(0, told.find(':'));
  for (const OptionSpec& option : spec.options) {
    if (option.name == name) return name + ": needs one value, " + option.value;
  }
  return name + ": more than one is given; one is accepted";
}

// What is wrong with words that are all known.
std::string mistake_text(const CLI::ParseError& mistake, const Bound& bound) {
  const std::string help = "; see '" + path_of(bound.app) + " --help'";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&mistake) != nullptr) {
    return mismatch_text(mistake.what(), *bound.spec) + help;
  }
  if (dynamic_cast<const CLI::ConversionError*>(&mistake) != nullptr) {  // of "--flag=x" only
    return "a flag takes no value: " + std::string(mistake.what()) + help;
  }
  if (dynamic_cast<const CLI::RequiredError*>(&mistake) == nullptr ||
      bound.spec->subcommands.empty()) {
    return mistake.what() + help;
  }
  std::string text = "'" + path_of(bound.app) + "' needs a command; accepted: ";
  for (const CommandSpec& child : bound.spec->subcommands) {
    text += (&child == &bound.spec->subcommands.front() ? "" : ", ") + child.name;
  }
  return text;
}

int explain(const CLI::ParseError& mistake, const std::list<Bound>& all, Console& console) {
  const Bound& bound = named(all);
  const std::vector<std::string> unknown = all.front().app->remaining(true);
  if (unknown.empty()) {
    console.error(mistake_text(mistake, bound));
    return kUsage;
  }
  console.error("'" + unknown.front() + "' is not known to '" + path_of(bound.app) + "'" +
                suggestion(unknown.front(), std::span<const std::string>(words_of(*bound.spec))) +
                "\nsee '" + path_of(bound.app) + " --help'");
  return kUsage;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// Values outside an option's or argument's choices; empty when all are inside.
std::string outside_choices(const std::string& name, const std::vector<std::string>& choices,
                            const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) {
      continue;
    }
    const std::string nearest = nearest_word(value, std::span<const std::string>(choices));
    return name + ": '" + value + "' is not accepted" +
           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
           "; accepted: " + listed(choices);
  }
  return {};
}

int run_command(const Bound& bound, Console& console) {
  Arguments arguments;
  for (const auto& [name, values] : bound.values) {
    for (const std::string& value : values) arguments.add(name, value);
  }
  for (const auto& [name, is_set] : bound.flags) {
    if (is_set) arguments.add(name, "");
  }
  std::string mistake;
  for (const OptionSpec& option : bound.spec->options) {
    if (mistake.empty() && !option.value.empty()) {
      mistake = outside_choices(option.name, option.choices, arguments.values(option.name));
    }
  }
  for (const ArgumentSpec& argument : bound.spec->arguments) {
    if (mistake.empty()) {
      mistake = outside_choices(argument.name, argument.choices, arguments.values(argument.name));
    }
  }
  if (!mistake.empty()) {
    console.error(mistake);
    return kUsage;
  }
  return bound.spec->run(arguments, console);
}

}  // namespace

int run_program(const CommandSpec& program, int argc, const char* const* argv, Console& console) {
  CLI::App app(program.text, program.name);
  std::list<Bound> all;
  bind(program, app, all);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* asked = named(all).app;
    const CLI::App* parent = asked->get_parent();
    console.out() << asked->help(parent == nullptr ? "" : path_of(parent));
    return kDone;
  } catch (const CLI::ParseError& mistake) {
    return explain(mistake, all, console);
  }
  return run_command(named(all), console);
}

}  // namespace berth::cli

// `berth completion bash|zsh|fish`: made from the same declarations as the parser. Files are
// offered only where a file can stand; names of policies, mixes and GPU models are those of the
// data folder at the time.
#include <algorithm>
#include <filesystem>
#include <functional>

#include "cli/commands.h"
#include "cli/environment.h"
#include "codec/file.h"
#include "codec/gpu_model_codec.h"

namespace berth::cli {
namespace {

using Visit = std::function<void(const CommandSpec& command, const std::string& path)>;

// Every command with the words that lead to it: "", "sim", "sim run".
void walk(const CommandSpec& command, const std::string& path, const Visit& visit) {
  visit(command, path);
  for (const CommandSpec& child : command.subcommands) {
    walk(child, path.empty() ? child.name : path + " " + child.name, visit);
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// "FILE", "NAME|FILE", "FILE.html", "PATH": what is written for the value says it.
bool takes_files(const std::string& placeholder) {
  return placeholder.find("FILE") != std::string::npos ||
         placeholder.find("PATH") != std::string::npos ||
         placeholder.find("FOLDER") != std::string::npos;
}

bool takes_files(const CommandSpec& command) {
  return std::any_of(command.arguments.begin(), command.arguments.end(),
                     [](const ArgumentSpec& argument) { return takes_files(argument.name); });
}

// Names of the objects in a folder of the data; none where there is no data.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const auto places = find_places();
  if (!places) return names;
  const auto files = codec::list_files(places->data + "/" + folder, ".yaml");
  if (!files) return names;
  for (const std::string& file : *files) {
    names.push_back(std::filesystem::path(file).stem().string());
  }
  return names;
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  const auto places = find_places();
  if (!places) return names;
  const auto catalog = codec::load_gpu_catalog(places->data + "/gpus");
  if (!catalog) return names;
  for (const GpuModel& model : *catalog) names.push_back(model.name);
  return names;
}

std::vector<std::string> values_of(const OptionSpec& option) {
  if (!option.choices.empty()) return option.choices;
  if (option.name == "--policy" || option.name == "--policies") return names_in("policies");
  return option.name == "--mix" ? names_in("mixes") : std::vector<std::string>{};
}

std::vector<std::string> values_of(const std::string& path, const ArgumentSpec& argument) {
  return path == "gpus" && argument.choices.empty() ? gpu_names() : argument.choices;
}

// What may follow: subcommands, options and the choices of arguments.
std::vector<std::string> words_after(const CommandSpec& command, const std::string& path) {
  std::vector<std::string> words;
  for (const CommandSpec& child : command.subcommands) words.push_back(child.name);
  for (const OptionSpec& option : command.options) words.push_back(option.name);
  for (const ArgumentSpec& argument : command.arguments) {
    const std::vector<std::string> values = values_of(path, argument);
    words.insert(words.end(), values.begin(), values.end());
  }
  words.emplace_back("--help");
  return words;
}

// Shell text between single quotes.
std::string single_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string bash(const CommandSpec& program) {
  std::string words_cases;
  std::string value_cases;
  walk(program, "", [&](const CommandSpec& command, const std::string& path) {
    words_cases += "    " + single_quoted(path) +
                   ") words=" + single_quoted(joined(words_after(command, path))) +
                   (takes_files(command) ? " files=yes" : "") + " ;;\n";
    for (const OptionSpec& option : command.options) {
      if (option.value.empty()) continue;
      value_cases += "    " + single_quoted(path + " " + option.name) +
                     ") is_value=yes words=" + single_quoted(joined(values_of(option))) +
                     (takes_files(option.value) ? " files=yes" : "") + " ;;\n";
    }
  });
  return "# bash completion of " + program.name + "\n_" + program.name + R"(() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
  local path='' word words='' files='' is_value='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word="${COMP_WORDS[i]}"
    [[ $word == -* ]] && break
    [[ -n $path && ! " $(_)" +
         program.name + R"(_children "$path") " == *" $word "* ]] && break
    path="${path:+$path }$word"
  done
  case "$path $previous" in
)" + value_cases +
         R"(  esac
  [[ -n $is_value ]] || case "$path" in
)" + words_cases +
         R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ -z $files || $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
)";
}

// The subcommands of a command, which tell a path from an argument.
std::string bash_children(const CommandSpec& program) {
  std::string text = "_" + program.name + "_children() {\n  case \"$1\" in\n";
  walk(program, "", [&](const CommandSpec& command, const std::string& path) {
    if (command.subcommands.empty()) return;
    std::vector<std::string> names;
    for (const CommandSpec& child : command.subcommands) names.push_back(child.name);
    text += "    " + single_quoted(path) + ") echo " + single_quoted(joined(names)) + " ;;\n";
  });
  return text + "  esac\n}\n";
}

std::string bash_script(const CommandSpec& program) {
  return bash(program) + bash_children(program) + "complete -o filenames -F _" + program.name +
         " " + program.name + "\n";
}

// zsh runs the bash functions through its own bashcompinit.
std::string zsh_script(const CommandSpec& program) {
  return "#compdef " + program.name + "\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(program);
}

std::string fish_script(const CommandSpec& program) {
  std::string text = "# fish completion of " + program.name + "\n";
  walk(program, "", [&](const CommandSpec& command, const std::string& path) {
    std::string when = "__fish_use_subcommand";
    if (!path.empty()) {
      const std::size_t last = path.rfind(' ');
      const std::string name = last == std::string::npos ? path : path.substr(last + 1);
      when = "__fish_seen_subcommand_from " + name;
      if (last != std::string::npos) {
        when = "__fish_seen_subcommand_from " + path.substr(0, last) + "; and " + when;
      }
    }
    const std::string start = "complete -c " + program.name + " -n " + single_quoted(when);
    for (const CommandSpec& child : command.subcommands) {
      text += start + " -f -a " + child.name + " -d " + single_quoted(child.text) + "\n";
    }
    for (const OptionSpec& option : command.options) {
      text += start + " -l " + option.name.substr(2) + " -d " + single_quoted(option.text);
      if (!option.value.empty()) text += takes_files(option.value) ? " -r -F" : " -r -f";
      const std::vector<std::string> values = values_of(option);
      if (!values.empty()) text += " -a " + single_quoted(joined(values));
      text += "\n";
    }
    if (!takes_files(command)) text += start + " -f\n";
    for (const ArgumentSpec& argument : command.arguments) {
      const std::vector<std::string> values = values_of(path, argument);
      if (values.empty()) continue;
      text += start + " -f -a " + single_quoted(joined(values)) + "\n";
    }
  });
  return text;
}

int run(const Arguments& arguments, Console& console) {
  const std::string shell = arguments.value_or("SHELL", "bash");
  if (shell == "fish") {
    console.out() << fish_script(program());
  } else {
    console.out() << (shell == "zsh" ? zsh_script(program()) : bash_script(program()));
  }
  return kDone;
}

}  // namespace

CommandSpec completion_command() {
  CommandSpec spec;
  spec.name = "completion";
  spec.text = "Prints the completion script of a shell.";
  spec.arguments = {
      {"SHELL", "bash, zsh or fish", ArgumentSpec::Count::kOne, {"bash", "zsh", "fish"}}};
  spec.run = run;
  return spec;
}

}  // namespace berth::cli

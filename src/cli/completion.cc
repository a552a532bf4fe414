// `berth completion bash|zsh|fish`: made from the same declarations as the parser.
#include <functional>

#include "cli/commands.h"

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

// What may follow: subcommands, options and the choices of arguments.
std::vector<std::string> words_after(const CommandSpec& command) {
  std::vector<std::string> words;
  for (const CommandSpec& child : command.subcommands) words.push_back(child.name);
  for (const OptionSpec& option : command.options) words.push_back(option.name);
  for (const ArgumentSpec& argument : command.arguments) {
    words.insert(words.end(), argument.choices.begin(), argument.choices.end());
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
                   ") words=" + single_quoted(joined(words_after(command))) + " ;;\n";
    for (const OptionSpec& option : command.options) {
      if (option.choices.empty()) continue;
      value_cases += "    " + single_quoted(path + " " + option.name) +
                     ") values=" + single_quoted(joined(option.choices)) + " ;;\n";
    }
  });
  return "# bash completion of " + program.name + "\n_" + program.name + R"(() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
  local path='' word words='' values='' i
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
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case "$path" in
)" + words_cases +
         R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
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
      if (!option.value.empty()) text += " -r";
      if (!option.choices.empty()) text += " -f -a " + single_quoted(joined(option.choices));
      text += "\n";
    }
    for (const ArgumentSpec& argument : command.arguments) {
      if (argument.choices.empty()) continue;
      text += start + " -f -a " + single_quoted(joined(argument.choices)) + "\n";
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

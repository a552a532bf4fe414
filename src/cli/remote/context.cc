// `berth context`: the servers that the user speaks to.
#include <algorithm>
#include <filesystem>

#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/remote/asking.h"
#include "cli/remote/contexts.h"

namespace berth::cli {
namespace {

std::vector<std::string> names_of(const Contexts& contexts) {
  std::vector<std::string> names;
  for (const Context& one : contexts.contexts) names.push_back(one.name);
  return names;
}

int no_such(Console& console, const Contexts& contexts, const std::string& name) {
  return wrong_value(console, "NAME",
                     "there is no context '" + name + "'" +
                         suggestion(name, std::span<const std::string>(names_of(contexts))));
}

int finish(const Contexts& contexts, Console& console, const std::string& done) {
  if (auto s = save_contexts(contexts); !s) return report(console, s.error());
  console.note(done);
  return kDone;
}

int run_list(const Arguments& /*arguments*/, Console& console) {
  const auto contexts = load_contexts();
  if (!contexts) return report(console, contexts.error());
  for (const Context& one : contexts->contexts) {
    console.out() << (one.name == contexts->current ? "* " : "  ") << one.name << "  " << one.url
                  << "\n";
  }
  if (contexts->contexts.empty()) {
    console.note(std::string("no contexts; ") + kDevServer + " is asked");
  }
  return kDone;
}

int run_add(const Arguments& arguments, Console& console) {
  auto contexts = load_contexts();
  if (!contexts) return report(console, contexts.error());
  Context added{arguments.value_or("NAME", ""), arguments.value_or("URL", ""),
                arguments.value_or("--token", ""), arguments.value_or("--ca", "")};
  // found from any folder
  if (!added.ca.empty()) added.ca = std::filesystem::absolute(added.ca).string();
  if (auto s = check_context(added); !s) return report(console, s.error());
  std::erase_if(contexts->contexts, [&](const Context& one) { return one.name == added.name; });
  contexts->current = added.name;
  contexts->contexts.push_back(added);
  return finish(*contexts, console, "context " + added.name + " is the current one");
}

int run_use(const Arguments& arguments, Console& console) {
  auto contexts = load_contexts();
  if (!contexts) return report(console, contexts.error());
  const std::string name = arguments.value_or("NAME", "");
  if (contexts->find(name) == nullptr) return no_such(console, *contexts, name);
  contexts->current = name;
  return finish(*contexts, console, "context " + name + " is the current one");
}

int run_remove(const Arguments& arguments, Console& console) {
  auto contexts = load_contexts();
  if (!contexts) return report(console, contexts.error());
  const std::string name = arguments.value_or("NAME", "");
  if (contexts->find(name) == nullptr) return no_such(console, *contexts, name);
  std::erase_if(contexts->contexts, [&](const Context& one) { return one.name == name; });
  if (contexts->current == name) contexts->current.clear();
  return finish(*contexts, console, "context " + name + " is gone");
}

}  // namespace

CommandSpec context_command() {
  using Count = ArgumentSpec::Count;
  CommandSpec spec;
  spec.name = "context";
  spec.text = "The servers that you speak to, by name.";
  const ArgumentSpec name{"NAME", "Its name", Count::kOne, {}};
  spec.subcommands = {
      subcommand("list", "Lists them.", run_list),
      subcommand("add", "Adds one, or changes it, and makes it the current one.", run_add),
      subcommand("use", "Makes one the current one.", run_use),
      subcommand("remove", "Forgets one.", run_remove)};
  for (std::size_t i = 1; i < spec.subcommands.size(); ++i) spec.subcommands[i].arguments = {name};
  spec.subcommands[1].arguments.push_back({"URL", "Where it is", Count::kOne, {}});
  spec.subcommands[1].options = {
      {"--token", "TOKEN", "Who asks", {}, {}},
      {"--ca", "FILE", "Certificate of its CA", "those of the system", {}}};
  return spec;
}

}  // namespace berth::cli

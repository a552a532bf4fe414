// `berth docs [--check]`: writes docs/reference from the declarations of objects, commands and
// metrics, and the document of the API for the web page, whose types are made from it.
#include <filesystem>

#include "cli/commands.h"
#include "cli/serve/server_metrics.h"
#include "cli/serve/settings.h"
#include "codec/described.h"
#include "codec/file.h"
#include "codec/writer.h"
#include "server/oidc.h"
#include "server/openapi.h"
#include "server/operations.h"
#include "sim/simulation_file.h"
#include "sim/workload/workload_codec.h"

namespace berth::cli {
namespace {

struct Page {
  std::string path;  // "docs/reference/job.md"
  std::string text;
};

const std::string kOrigin =
    "<!-- Written by `berth docs`; change the declarations, not this. -->\n\n";

void add_command(const CommandSpec& command, const std::string& path, std::string& text) {
  const std::string full = path.empty() ? command.name : path + " " + command.name;
  text += "## `" + full;
  for (const ArgumentSpec& argument : command.arguments) {
    using Count = ArgumentSpec::Count;
    const bool many = argument.count == Count::kMany || argument.count == Count::kAny;
    const std::string name = argument.name + (many ? "..." : "");
    const bool needed = argument.count == Count::kOne || argument.count == Count::kMany;
    text += needed ? " " + name : " [" + name + "]";
  }
  text += "`\n" + command.text + "\n\n";
  for (const ArgumentSpec& argument : command.arguments) {
    text += "- `" + argument.name + "`: " + argument.text + "\n";
  }
  for (const OptionSpec& option : command.options) {
    text += "- `" + option.name + (option.value.empty() ? "" : " " + option.value) +
            "`: " + option.text;
    if (!option.fallback.empty()) text += " (default: " + option.fallback + ")";
    text += "\n";
  }
  if (!command.arguments.empty() || !command.options.empty()) text += "\n";
  for (const CommandSpec& child : command.subcommands) add_command(child, full, text);
}

Page command_page() {
  std::string text = kOrigin + "# The program `berth`\n\n";
  text +=
      "Results go to standard output; progress, notes and errors to standard error. Colours and\n"
      "progress appear on a terminal only, and `NO_COLOR` switches colours off.\n\n"
      "| exit code | meaning |\n|---|---|\n"
      "| 0 | done |\n"
      "| 1 | differs from what is expected: a scenario, or documentation that is not current |\n"
      "| 2 | wrong arguments, or an input that cannot be used |\n"
      "| 3 | anything else, such as a file that cannot be written |\n\n"
      "| variable | meaning |\n|---|---|\n"
      "| `BERTH_DATA` | folder with gpus, fleets, workloads, policies and mixes; by default `data` "
      "here "
      "or "
      "beside the program |\n"
      "| `BERTH_WEB` | folder of the built web page; by default `web/dist` beside the program |\n"
      "| `BERTH_TRACES` | folder of traces; by default `../shared/traces` |\n\n";
  for (const CommandSpec& command : program().subcommands) add_command(command, "berth", text);
  while (text.ends_with("\n\n")) text.pop_back();
  return {"cli.md", text};
}

struct Places {
  std::string folder;   // of the reference
  std::string openapi;  // the file
};

std::vector<Page> pages(const Places& places, const std::string& version) {
  std::vector<const codec::SchemaInfo*> objects = codec::described_objects();
  objects.push_back(&codec::Describe<sim::SimulationFile>::info());
  objects.push_back(&codec::Describe<sim::Workload>::info());
  objects.push_back(&codec::Describe<ServerSettings>::info());
  objects.push_back(&codec::Describe<FirstTokens>::info());
  objects.push_back(&codec::Describe<server::OidcSettings>::info());
  std::vector<Page> pages = {
      {places.openapi, codec::write_json(server::openapi_document(server::operations(), version))},
      command_page(),
      {"metrics.md", kOrigin + metrics_reference()}};
  std::string list;
  for (const codec::SchemaInfo* object : objects) {
    const std::string name = object->name + ".md";
    pages.push_back({name, kOrigin + codec::markdown_reference(*object)});
    list += "- [" + object->name + "](" + name + "): " + object->text + "\n";
  }
  pages.push_back(
      {"README.md",
       kOrigin + "# Reference\n\n- [The program](cli.md)\n- [Metrics](metrics.md)\n" + list});
  for (std::size_t i = 1; i < pages.size(); ++i) {
    pages[i].path = places.folder + "/" + pages[i].path;
  }
  return pages;
}

int check(const std::vector<Page>& pages, Console& console) {
  std::size_t stale = 0;
  for (const Page& page : pages) {
    const auto text = codec::read_file(page.path);
    if (text && *text == page.text) continue;
    ++stale;
    console.error(page.path + (text ? " is not current" : " is missing") + "; run 'berth docs'");
  }
  return stale == 0 ? kDone : kDiffers;
}

int run(const Arguments& arguments, Console& console) {
  const Places places{arguments.value_or("--folder", "docs/reference"),
                      arguments.value_or("--openapi", "web/src/api/openapi.json")};
  const std::vector<Page> all = pages(places, console.version());
  if (arguments.has("--check")) return check(all, console);
  std::error_code failed;
  for (const Page& page : all) {
    std::filesystem::create_directories(std::filesystem::path(page.path).parent_path(), failed);
    if (auto s = codec::write_file(page.path, page.text); !s) return report(console, s.error());
  }
  console.out() << all.size() - 1 << " pages in " << places.folder << ", and " << places.openapi
                << '\n';
  return kDone;
}

}  // namespace

CommandSpec docs_command() {
  CommandSpec spec;
  spec.name = "docs";
  spec.text =
      "Writes the reference of all objects, commands and metrics, and the document of the API.";
  spec.options = {{"--check", "", "Write nothing; fail when a page is not current", {}, {}},
                  {"--folder", "PATH", "Where the pages are", "docs/reference", {}},
                  {"--openapi", "FILE", "Document of the API", "web/src/api/openapi.json", {}}};
  spec.run = run;
  return spec;
}

}  // namespace berth::cli

// `berth gpus [NAME]`: the catalogue, and one model with its MIG profiles and layouts.
#include <algorithm>
#include <optional>

#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/gpu_page.h"
#include "codec/file.h"
#include "codec/gpu_model_codec.h"

namespace berth::cli {
namespace {

const GpuModel* find_model(const std::vector<GpuModel>& catalog, const std::string& name) {
  const auto named = [&](const GpuModel& model) {
    return model.name == name ||
           std::find(model.aliases.begin(), model.aliases.end(), name) != model.aliases.end();
  };
  const auto it = std::find_if(catalog.begin(), catalog.end(), named);
  return it == catalog.end() ? nullptr : &*it;
}

std::string json_of(const std::vector<GpuModel>& models) {
  codec::Document list = codec::Document::list();
  for (const GpuModel& model : models) {
    list.append(codec::to_document(model, codec::WriteStyle::kFull));
  }
  return codec::write_text(list, codec::TextFormat::kJson);
}

int run(const Arguments& arguments, Console& console) {
  const auto places = find_places();
  if (!places) return report(console, places.error());
  const auto catalog = codec::load_gpu_catalog(places->data + "/gpus");
  if (!catalog) return report(console, catalog.error().to_error());
  const bool as_json = arguments.value_or("--output", "table") == "json";
  const auto name = arguments.value("NAME");
  if (!name) {
    console.out() << (as_json ? json_of(*catalog) : catalog_page(*catalog));
    return kDone;
  }
  const GpuModel* model = find_model(*catalog, *name);
  if (model == nullptr) {
    std::vector<std::string> names;
    for (const GpuModel& known : *catalog) {
      names.push_back(known.name);
      names.insert(names.end(), known.aliases.begin(), known.aliases.end());
    }
    return wrong_value(console, "NAME",
                       "'" + *name + "' is not in the catalogue" +
                           suggestion(*name, std::span<const std::string>(names)));
  }
  console.out() << (as_json
                        ? codec::write_text(codec::to_document(*model, codec::WriteStyle::kFull),
                                            codec::TextFormat::kJson)
                        : model_page(*model));
  return kDone;
}

}  // namespace

CommandSpec gpus_command() {
  CommandSpec spec;
  spec.name = "gpus";
  spec.text = "Lists the GPU models that Berth knows, or shows one.";
  spec.arguments = {{"NAME", "Model or alias", ArgumentSpec::Count::kOptional, {}}};
  spec.options = {
      {"--output", "FORMAT", "How it is written: table or json", "table", {"table", "json"}}};
  spec.run = run;
  return spec;
}

}  // namespace berth::cli

#include "cli/gpu_page.h"

#include <optional>

#include "engine/sharing/mig_geometry.h"
#include "model/rejection.h"
#include "sim/report/text_grid.h"

namespace berth::cli {
namespace {

using sim::TextGrid;

constexpr sim::Colours kPlainText = sim::Colours::kOff;

template <typename Number>
std::string or_unknown(const std::optional<Number>& value) {
  return value ? grouped(static_cast<std::int64_t>(*value)) : "unknown";
}

std::string joined(const std::vector<std::string>& words, const std::string& none) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? none : text;
}

std::string starts_text(const std::vector<int>& starts) {
  std::string text;
  for (const int start : starts) text += (text.empty() ? "" : " ") + std::to_string(start);
  return text;
}

void add_facts(const GpuModel& model, std::string& page) {
  const auto line = [&](const std::string& name, const std::string& value) {
    page += "  " + name + std::string(name.size() < 18 ? 18 - name.size() : 1, ' ') + value + "\n";
  };
  page += model.name + "\n";
  line("also called", joined(model.aliases, "-"));
  line("driver's name", model.product_name.value_or("unknown"));
  line("architecture", model.architecture);
  line("compute", "capability " + model.compute_capability.value_or("unknown"));
  line("memory", grouped(model.memory_mib) + " MiB for jobs, " +
                     or_unknown(model.memory_reserved_mib) + " MiB kept by the driver");
  line("bandwidth", or_unknown(model.memory_bandwidth_gb_s) + " GB/s");
  line("SMs", std::to_string(model.sms));
  line("NVLink",
       std::string(word(model.nvlink.reach)) +
           (model.nvlink.total_gb_s ? ", " + grouped(*model.nvlink.total_gb_s) + " GB/s both ways"
                                    : std::string()));
  line("board power", or_unknown(model.board_power_w) + " W");
  line("MPS clients",
       model.mps.max_clients == 0 ? "not offered" : std::to_string(model.mps.max_clients));
  line("time-slicing", model.time_slicing.supported ? "yes" : "no");
}

void add_mig(const GpuModel& model, std::string& page) {
  if (!model.has_mig()) {
    page += "\nNo MIG.\n";
    return;
  }
  page += "\nMIG: " + std::to_string(model.compute_slices) + " compute slices, " +
          std::to_string(model.memory_slots) + " memory slots\n";
  TextGrid grid;
  grid.add({std::string("  profile"), std::string("id"), std::string("slices"),
            std::string("slots"), std::string("memory MiB"), std::string("SMs"),
            std::string("most"), std::string("starts at slot")});
  for (const MigProfile& profile : model.mig_profiles) {
    grid.add({"  " + profile.name, or_unknown(profile.id), std::to_string(profile.compute_slices),
              std::to_string(profile.memory_slots), or_unknown(profile.memory_mib),
              or_unknown(profile.sms), std::to_string(profile.max), starts_text(profile.starts)});
  }
  page += grid.to_text(kPlainText);
  const auto geometry = engine::MigGeometry::create(model);
  if (!geometry) return;
  page += "\nLayouts: " + grouped(static_cast<std::int64_t>(geometry->valid_sets().size())) +
          " sets of placements, " + std::to_string(geometry->maximal_sets().size()) +
          " to which nothing can be added.\nWhat full cards can hold:\n";
  for (const engine::MigMultiset set : geometry->undominated_multisets()) {
    std::string text;
    for (std::size_t p = 0; p < model.mig_profiles.size(); ++p) {
      const engine::MigProfileIndex index(static_cast<engine::MigProfileIndex::rep>(p));
      const int count = engine::MigGeometry::count_in(set, index);
      if (count == 0) continue;
      text +=
          (text.empty() ? "" : " + ") + std::to_string(count) + " x " + model.mig_profiles[p].name;
    }
    page += "  " + text + "\n";
  }
}

}  // namespace

std::string catalog_page(const std::vector<GpuModel>& models) {
  TextGrid grid;
  grid.add({std::string("model"), std::string("memory MiB"), std::string("SMs"),
            std::string("GB/s"), std::string("W"), std::string("MIG profiles"),
            std::string("also called")});
  for (const GpuModel& model : models) {
    grid.add({model.name, grouped(model.memory_mib), std::to_string(model.sms),
              or_unknown(model.memory_bandwidth_gb_s), or_unknown(model.board_power_w),
              model.has_mig() ? std::to_string(model.mig_profiles.size()) : std::string("-"),
              joined(model.aliases, "")});
  }
  return grid.to_text(kPlainText);
}

std::string model_page(const GpuModel& model) {
  std::string page;
  add_facts(model, page);
  add_mig(model, page);
  page += "\nSources:\n";
  for (const std::string& source : model.sources) page += "  " + source + "\n";
  return page;
}

}  // namespace berth::cli

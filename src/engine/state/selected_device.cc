#include "engine/state/selected_device.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/words.h"

namespace berth::engine {
namespace {

using selector::Quantity;

constexpr std::int64_t kBytesPerMib = 1'048'576;

// As the vendor's driver writes it: "Hopper", "Ada Lovelace".
std::string architecture_name(const GpuModel& gpu) {
  if (gpu.architecture == "ada") return "Ada Lovelace";
  std::string name = gpu.architecture;
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') {
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
  }
  return name;
}

// Labels are texts; what NVIDIA's driver publishes as a version is one here, too.
selector::Attribute label_value(const LabelName& name, const std::string& text) {
  constexpr std::array<std::string_view, 2> kVersions = {"driverVersion", "cudaDriverVersion"};
  const bool is_version = name.domain == "gpu.nvidia.com" &&
                          std::find(kVersions.begin(), kVersions.end(), name.id) != kVersions.end();
  if (is_version) {
    if (auto version = selector::Semver::parse_normalized(text)) return std::move(*version);
  }
  return text;
}

void add_labels(selector::Device& device, const Labels& labels) {
  for (const auto& [label, text] : labels) {
    const LabelName name = name_of_label(label);
    device.attributes[std::string(name.domain)].emplace(std::string(name.id),
                                                        label_value(name, text));
  }
}

void add_text(selector::Device& device, std::string_view name,
              const std::optional<std::string>& text) {
  if (text) device.set_attribute(name, *text);
}

void add_model(selector::Device& device, const GpuModel& gpu) {
  add_text(device, "productName", gpu.product_name);
  add_text(device, "brand", gpu.brand);
  device.set_attribute("architecture", architecture_name(gpu));
  if (gpu.compute_capability) {
    // the catalogue holds no other than versions
    auto version = selector::Semver::parse_normalized(*gpu.compute_capability);
    if (version) device.set_attribute("cudaComputeCapability", std::move(*version));
  }
  const std::string own = std::string(kOwnDomain) + "/";
  device.set_attribute(own + "model", gpu.name);
  device.set_attribute(own + "vendor", gpu.vendor);
  device.set_attribute(own + "nvlink", std::string(word(gpu.nvlink.reach)));
}

void add_amount(selector::Device& device, std::string_view name, const std::optional<int>& amount) {
  if (amount) device.set_capacity(name, Quantity::of_units(*amount));
}

void add_memory(selector::Device& device, Mib mib) {
  device.set_capacity("memory", Quantity::of_units(mib * kBytesPerMib));
}

void add_instance(selector::Device& device, const MigProfile& profile) {
  device.set_attribute("type", std::string("mig"));
  device.set_attribute("profile", profile.name);
  if (profile.memory_mib) add_memory(device, *profile.memory_mib);
  add_amount(device, "multiprocessors", profile.sms);
  add_amount(device, "copyEngines", profile.copy_engines);
  add_amount(device, "decoders", profile.decoders);
  add_amount(device, "encoders", profile.encoders);
  add_amount(device, "jpegEngines", profile.jpeg_decoders);
  add_amount(device, "ofaEngines", profile.optical_flow);
}

void add_card(selector::Device& device, const GpuModel& gpu, Mib card_memory_mib) {
  device.set_attribute("type", std::string("gpu"));
  const Mib usable = card_memory_mib > 0 ? card_memory_mib : gpu.memory_mib;
  add_memory(device, usable + gpu.memory_reserved_mib.value_or(0));
  device.set_capacity(std::string(kOwnDomain) + "/multiprocessors", Quantity::of_units(gpu.sms));
}

}  // namespace

LabelName name_of_label(std::string_view label) {
  const std::size_t slash = label.find('/');
  if (slash == std::string_view::npos) return {kOwnDomain, label};
  return {label.substr(0, slash), label.substr(slash + 1)};
}

std::optional<selector::Device> device_for(const DeviceRequest& request, const GpuModel& gpu,
                                           Mib card_memory_mib, const Labels& labels) {
  selector::Device device;
  device.driver = "gpu." + gpu.vendor + ".com";
  device.allow_multiple_allocations = request.kind == ShareKind::kShare;
  add_labels(device, labels);
  add_model(device, gpu);
  if (request.kind != ShareKind::kMig) {
    add_card(device, gpu, card_memory_mib);
    return device;
  }
  const auto profile =
      std::find_if(gpu.mig_profiles.begin(), gpu.mig_profiles.end(),
                   [&](const MigProfile& each) { return each.name == request.mig_profile; });
  if (profile == gpu.mig_profiles.end()) return std::nullopt;
  add_instance(device, *profile);
  return device;
}

}  // namespace berth::engine

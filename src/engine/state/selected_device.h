// What a selector sees of the card, share or MIG instance that a request would get: a device as a
// DRA driver of the vendor publishes it, as far as the catalogue and the node's labels say.
// docs/selectors.md lists the attributes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "model/gpu_model.h"
#include "model/job.h"
#include "selector/device.h"

namespace berth::engine {

// Domain of labels without a domain, and of what no driver publishes.
inline constexpr std::string_view kOwnDomain = "berth";

struct LabelName {
  std::string_view domain;
  std::string_view id;
};
// Of a node's label: "domain/id", or "id".
LabelName name_of_label(std::string_view label);

using Labels = std::vector<std::pair<std::string, std::string>>;

// `card_memory_mib`: usable per card, where it is not the model's (0). What Berth knows itself
// stands before a label of the same name. Nothing where the model has no such MIG profile.
std::optional<selector::Device> device_for(const DeviceRequest& request, const GpuModel& gpu,
                                           Mib card_memory_mib, const Labels& labels);

}  // namespace berth::engine

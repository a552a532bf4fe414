// The catalogue and one of its models as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "model/gpu_model.h"

namespace berth::cli {

std::string catalog_page(const std::vector<GpuModel>& models);
std::string model_page(const GpuModel& model);

}  // namespace berth::cli

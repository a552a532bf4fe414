// GpuModel as users write it (data/gpus/*.yaml), and the catalogue of a directory of them.
#pragma once

#include <string>
#include <vector>

#include "codec/file.h"
#include "codec/schema.h"
#include "model/gpu_model.h"

namespace berth::codec {

template <>
struct Describe<MigProfile> : Described<MigProfile> {
  static const ObjectSchema<MigProfile>& schema();
};
template <>
struct Describe<NvLink> : Described<NvLink> {
  static const ObjectSchema<NvLink>& schema();
};
template <>
struct Describe<PeakRates> : Described<PeakRates> {
  static const ObjectSchema<PeakRates>& schema();
};
template <>
struct Describe<MpsLimits> : Described<MpsLimits> {
  static const ObjectSchema<MpsLimits>& schema();
};
template <>
struct Describe<MigSwitching> : Described<MigSwitching> {
  static const ObjectSchema<MigSwitching>& schema();
};
template <>
struct Describe<TimeSlicing> : Described<TimeSlicing> {
  static const ObjectSchema<TimeSlicing>& schema();
};
template <>
struct Describe<ProcessSuspension> : Described<ProcessSuspension> {
  static const ObjectSchema<ProcessSuspension>& schema();
};
template <>
struct Describe<GpuModel> : Described<GpuModel> {
  static const ObjectSchema<GpuModel>& schema();
};

// All models of the directory's *.yaml files, sorted by name; the errors of all files together when
// any is wrong, or when two models share a name, an alias or a device id.
Parsed<std::vector<GpuModel>> load_gpu_catalog(const std::string& directory);

}  // namespace berth::codec

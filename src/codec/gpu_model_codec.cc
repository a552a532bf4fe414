#include "codec/gpu_model_codec.h"

#include <algorithm>

#include "codec/limits.h"

namespace berth::codec {
namespace {

constexpr std::int64_t kRateLimit = 1'000'000'000'000;
constexpr Mib kMemoryLimitMib = 16'777'216;
constexpr std::int64_t kSmLimit = 4096;

auto known_rate() { return or_unknown(integer(1, kRateLimit).unit("10^9 operations/s")); }
auto known_count(std::int64_t high) { return or_unknown(integer(0, high)); }
auto known_time() { return or_unknown(integer(0, kHourMs).unit("ms")); }
auto known_text() { return or_unknown(text(64)); }

ObjectSchema<MigProfile> mig_profile_schema() {
  ObjectSchema<MigProfile> s("mig_profile", "One kind of MIG instance, as the driver reports it.");
  s.field("name", &MigProfile::name, text(64)).required().text("Name, starting with the slices.");
  s.field("id", &MigProfile::id, known_count(255)).text("GPU instance profile id.");
  s.field("compute_slices", &MigProfile::compute_slices, integer(1, kMaxMigSlots))
      .required()
      .text("Compute slices it takes.");
  s.field("memory_slots", &MigProfile::memory_slots, integer(1, kMaxMigSlots))
      .required()
      .text("Neighbouring memory slots it takes.");
  s.field("memory_mib", &MigProfile::memory_mib, or_unknown(memory(1, kMemoryLimitMib)))
      .text("Memory of the instance.");
  s.field("sms", &MigProfile::sms, or_unknown(integer(1, kSmLimit)))
      .text("Streaming multiprocessors, as the driver reports them.");
  s.field("max", &MigProfile::max, integer(1, kMaxMigInstances))
      .required()
      .text("Most instances of this profile on one card.");
  s.field("starts", &MigProfile::starts,
          list_of(integer(0, kMaxMigSlots)).sized(1, kMaxMigPlacements))
      .required()
      .text("First memory slots at which it may be placed, ascending.");
  s.field("copy_engines", &MigProfile::copy_engines, known_count(64)).text("Copy engines.");
  s.field("decoders", &MigProfile::decoders, known_count(64)).text("Video decoders.");
  s.field("encoders", &MigProfile::encoders, known_count(64)).text("Video encoders.");
  s.field("jpeg_decoders", &MigProfile::jpeg_decoders, known_count(64)).text("JPEG decoders.");
  s.field("optical_flow", &MigProfile::optical_flow, known_count(64))
      .text("Optical flow accelerators.");
  s.field("media_extensions", &MigProfile::media_extensions, flag())
      .text("Holds media engines that plain profiles lack.");
  s.field("graphics", &MigProfile::graphics, flag()).text("Runs graphics APIs.");
  s.field("min_driver", &MigProfile::min_driver, known_text())
      .text("Oldest driver that offers the profile.");
  return s;
}

ObjectSchema<NvLink> nvlink_schema() {
  ObjectSchema<NvLink> s("nvlink", "How cards of the model are joined by NVLink.");
  s.field("reach", &NvLink::reach, words()).required().text("How far it reaches.");
  s.field("generation", &NvLink::generation, or_unknown(integer(1, 99))).text("Generation.");
  s.field("links", &NvLink::links, or_unknown(integer(1, 1024))).text("Links per card.");
  s.field("total_gb_s", &NvLink::total_gb_s, or_unknown(integer(1, 1'000'000).unit("GB/s")))
      .text("Rate per card, both directions together.");
  return s;
}

ObjectSchema<PeakRates> peak_rates_schema() {
  ObjectSchema<PeakRates> s("peak_rates", "Dense peak rates at boost clock.");
  s.field("fp64_gflop_s", &PeakRates::fp64_gflop_s, known_rate()).text("FP64.");
  s.field("fp64_tensor_gflop_s", &PeakRates::fp64_tensor_gflop_s, known_rate())
      .text("FP64 on tensor cores.");
  s.field("fp32_gflop_s", &PeakRates::fp32_gflop_s, known_rate()).text("FP32.");
  s.field("tf32_gflop_s", &PeakRates::tf32_gflop_s, known_rate()).text("TF32.");
  s.field("fp16_gflop_s", &PeakRates::fp16_gflop_s, known_rate())
      .text("FP16, on tensor cores where present.");
  s.field("bf16_gflop_s", &PeakRates::bf16_gflop_s, known_rate()).text("BF16.");
  s.field("fp8_gflop_s", &PeakRates::fp8_gflop_s, known_rate()).text("FP8.");
  s.field("fp4_gflop_s", &PeakRates::fp4_gflop_s, known_rate()).text("FP4.");
  s.field("int8_gop_s", &PeakRates::int8_gop_s, known_rate()).text("INT8.");
  return s;
}

ObjectSchema<MpsLimits> mps_limits_schema() {
  ObjectSchema<MpsLimits> s("mps_limits", "Limits of the Multi-Process Service.");
  s.field("max_clients", &MpsLimits::max_clients, integer(0, 1024))
      .required()
      .text("Most clients of one card; 0: not offered.");
  s.field("sm_chunk", &MpsLimits::sm_chunk, or_unknown(integer(1, kSmLimit)))
      .text("SMs per unit of a static partition.");
  return s;
}

ObjectSchema<MigSwitching> mig_switching_schema() {
  ObjectSchema<MigSwitching> s("mig_switching", "What a change of MIG mode or geometry costs.");
  s.field("needs_reset", &MigSwitching::needs_reset, flag())
      .required()
      .text("The mode switch resets the card.");
  s.field("survives_reboot", &MigSwitching::survives_reboot, flag())
      .required()
      .text("The card keeps the mode (never the instances).");
  s.field("switch_ms", &MigSwitching::switch_ms, known_time()).text("Time of a mode switch.");
  s.field("instance_create_ms", &MigSwitching::instance_create_ms, known_time())
      .text("Time to create an instance.");
  s.field("instance_destroy_ms", &MigSwitching::instance_destroy_ms, known_time())
      .text("Time to destroy an instance.");
  return s;
}

ObjectSchema<TimeSlicing> time_slicing_schema() {
  ObjectSchema<TimeSlicing> s("time_slicing", "Time-slicing between processes.");
  s.field("supported", &TimeSlicing::supported, flag()).required().text("Whether it works.");
  s.field("quantum_settable", &TimeSlicing::quantum_settable, flag())
      .text("The driver offers classes of the time slice's length.");
  return s;
}

ObjectSchema<ProcessSuspension> suspension_schema() {
  ObjectSchema<ProcessSuspension> s("suspension", "Taking a process off the card from outside.");
  s.field("lock_ms", &ProcessSuspension::lock_ms, integer(0, kHourMs).unit("ms"))
      .required()
      .text("Time to stop the process, with no long kernel under way.");
  s.field("out_mib_per_s", &ProcessSuspension::out_mib_per_s, integer(1, 100'000'000).unit("MiB/s"))
      .required()
      .text("Rate of device memory to host memory.");
  s.field("in_mib_per_s", &ProcessSuspension::in_mib_per_s, integer(1, 100'000'000).unit("MiB/s"))
      .required()
      .text("Rate of host memory to device memory.");
  s.field("kept_mib", &ProcessSuspension::kept_mib, memory(0, kMemoryLimitMib))
      .text("Device memory that stays in use meanwhile.");
  return s;
}

void add_identity(ObjectSchema<GpuModel>& s) {
  s.field("name", &GpuModel::name, text(64)).required().text("Canonical name.");
  s.field("aliases", &GpuModel::aliases, list_of(text(64)).sized(0, 64))
      .text("Other names in fleets and traces.");
  s.field("vendor", &GpuModel::vendor, text(64)).required().text("Maker, such as nvidia.");
  s.field("architecture", &GpuModel::architecture, text(64))
      .required()
      .text("Architecture, such as hopper.");
  s.field("product_name", &GpuModel::product_name, known_text())
      .text("Name that the driver reports.");
  s.field("brand", &GpuModel::brand, known_text()).text("Brand that the driver reports.");
  s.field("compute_capability", &GpuModel::compute_capability, known_text())
      .text("CUDA compute capability, such as 9.0.");
  s.field("device_ids", &GpuModel::device_ids, list_of(text(4)).sized(0, 64))
      .text("PCI device ids: four upper-case hex digits, in quotes.");
  s.field("min_driver", &GpuModel::min_driver, known_text())
      .text("Oldest driver that offers the model's sharing modes.");
}

void add_sizes(ObjectSchema<GpuModel>& s) {
  s.field("memory_mib", &GpuModel::memory_mib, memory(1, kMemoryLimitMib))
      .required()
      .text("Usable memory as the device reports it.");
  s.field("memory_reserved_mib", &GpuModel::memory_reserved_mib,
          or_unknown(memory(0, kMemoryLimitMib)))
      .text("The driver's part, already subtracted.");
  s.field("memory_bandwidth_gb_s", &GpuModel::memory_bandwidth_gb_s,
          or_unknown(integer(1, 1'000'000).unit("GB/s")))
      .text("Memory bandwidth.");
  s.field("sms", &GpuModel::sms, integer(1, kSmLimit))
      .required()
      .text("Streaming multiprocessors of the whole card.");
  s.field("sms_mig", &GpuModel::sms_mig, or_unknown(integer(1, kSmLimit)))
      .text("The same in MIG mode.");
  s.field("compute_slices", &GpuModel::compute_slices, integer(0, kMaxMigSlots))
      .text("Compute slices of the MIG grid; 0: no MIG.");
  s.field("memory_slots", &GpuModel::memory_slots, integer(0, kMaxMigSlots))
      .text("Memory slots of the MIG grid; 0: no MIG.");
}

ObjectSchema<GpuModel> gpu_model_schema() {
  ObjectSchema<GpuModel> s("gpu_model", "One GPU product.");
  add_identity(s);
  add_sizes(s);
  s.field("mig_profiles", &GpuModel::mig_profiles, list_of(object()).sized(0, kMaxMigProfiles))
      .text("Kinds of MIG instances.");
  s.field("mig_switching", &GpuModel::mig_switching, optional(object()))
      .text("Cost of MIG changes; needed exactly with a MIG grid.");
  s.field("nvlink", &GpuModel::nvlink, object()).required().text("Links between cards.");
  s.field("peak", &GpuModel::peak, object()).required().text("Peak rates.");
  s.field("board_power_w", &GpuModel::board_power_w, or_unknown(integer(1, 100'000).unit("W")))
      .text("Most the board may draw by default.");
  s.field("mps", &GpuModel::mps, object()).required().text("Limits of MPS.");
  s.field("time_slicing", &GpuModel::time_slicing, object()).required().text("Time-slicing.");
  s.field("suspension", &GpuModel::suspension, optional(object()))
      .when_absent("not measured: no job is paused or suspended on it")
      .text("Cost of taking a process off the card from outside.");
  s.field("sources", &GpuModel::sources, list_of(text(500)).sized(1, 64))
      .required()
      .text("Public origins of the values.");
  s.rule([](const GpuModel& model) { return validate(model); });
  return s;
}

// One list holds the errors of several files: each names its own.
void append(Errors& all, const Errors& more) {
  for (const Error& error : more.items) {
    if (all.items.size() >= kErrorLimit) {
      all.is_truncated = true;
      return;
    }
    all.items.push_back({error.code, Errors{more.source, {error}, false}.to_text(), {}, 0});
  }
  all.is_truncated = all.is_truncated || more.is_truncated;
}

}  // namespace

const ObjectSchema<MigProfile>& Describe<MigProfile>::schema() {
  static const ObjectSchema<MigProfile> kSchema = mig_profile_schema();
  return kSchema;
}
const ObjectSchema<NvLink>& Describe<NvLink>::schema() {
  static const ObjectSchema<NvLink> kSchema = nvlink_schema();
  return kSchema;
}
const ObjectSchema<PeakRates>& Describe<PeakRates>::schema() {
  static const ObjectSchema<PeakRates> kSchema = peak_rates_schema();
  return kSchema;
}
const ObjectSchema<MpsLimits>& Describe<MpsLimits>::schema() {
  static const ObjectSchema<MpsLimits> kSchema = mps_limits_schema();
  return kSchema;
}
const ObjectSchema<MigSwitching>& Describe<MigSwitching>::schema() {
  static const ObjectSchema<MigSwitching> kSchema = mig_switching_schema();
  return kSchema;
}
const ObjectSchema<TimeSlicing>& Describe<TimeSlicing>::schema() {
  static const ObjectSchema<TimeSlicing> kSchema = time_slicing_schema();
  return kSchema;
}
const ObjectSchema<ProcessSuspension>& Describe<ProcessSuspension>::schema() {
  static const ObjectSchema<ProcessSuspension> kSchema = suspension_schema();
  return kSchema;
}
const ObjectSchema<GpuModel>& Describe<GpuModel>::schema() {
  static const ObjectSchema<GpuModel> kSchema = gpu_model_schema();
  return kSchema;
}

Parsed<std::vector<GpuModel>> load_gpu_catalog(const std::string& directory) {
  const Result<std::vector<std::string>> paths = list_files(directory, ".yaml");
  if (!paths) return failed(paths.error(), "");
  if (paths->empty()) {
    return failed({ErrorCode::kNotFound, "holds no file *.yaml; GPU models are needed", "", 0},
                  directory);
  }
  std::vector<GpuModel> models;
  Errors errors;
  for (const std::string& path : *paths) {
    Parsed<GpuModel> model = load<GpuModel>(path);
    if (model) {
      models.push_back(std::move(*model));
    } else {
      append(errors, model.error());
    }
  }
  if (!errors.items.empty()) return tl::unexpected<Errors>(std::move(errors));
  std::sort(models.begin(), models.end(),
            [](const GpuModel& a, const GpuModel& b) { return a.name < b.name; });
  if (const Status status = validate_catalogue(models); !status) {
    return failed(status.error(), directory);
  }
  return models;
}

}  // namespace berth::codec

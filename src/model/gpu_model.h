// GpuModel: what one product is: its memory, compute, MIG grid, links, peak rates, power and what a
// change of sharing mode costs.
//
// It owns data of a product and nothing of a card in service: no health, no owner, no reading of a
// sensor. It must never be keyed by a profile's name alone, because one name means different slots
// on different products; the key is (model, profile id). Values that no public source states are
// empty optionals (`unknown` in data/gpus/*.yaml) and are never filled with a guess.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "model/words.h"

namespace berth {

// One kind of MIG GPU instance. Its name, id and sizes are those that the device's driver reports.
struct MigProfile {
  std::string name;        // "1g.10gb+me"; starts with the compute slices
  std::optional<int> id;   // GPU instance profile id, unique within a model
  int compute_slices = 0;  // of the model's compute_slices
  int memory_slots = 0;    // of the model's memory_slots, contiguous
  std::optional<Mib> memory_mib;
  std::optional<int> sms;   // not slices x constant: the driver's own figure
  int max = 0;              // most instances of this profile at once on one card
  std::vector<int> starts;  // first memory slots at which it may be placed, ascending
  std::optional<int> copy_engines;
  std::optional<int> decoders;       // NVDEC
  std::optional<int> encoders;       // NVENC
  std::optional<int> jpeg_decoders;  // NVJPG
  std::optional<int> optical_flow;   // OFA
  bool media_extensions = false;     // +me, +me.all: holds media engines that plain profiles lack
  bool graphics = false;             // +gfx: the only profiles that run graphics APIs
  std::optional<std::string> min_driver;  // oldest driver that offers the profile

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.name, self.id, self.compute_slices, self.memory_slots, self.memory_mib, self.sms,
          self.max, self.starts, self.copy_engines, self.decoders, self.encoders,
          self.jpeg_decoders, self.optical_flow, self.media_extensions, self.graphics,
          self.min_driver);
  }
  friend bool operator==(const MigProfile&, const MigProfile&) = default;
};

// How far NVLink joins cards of this model.
enum class NvLinkReach : std::uint8_t {
  kNone,    // no NVLink
  kBridge,  // two to four neighbouring cards, where the operator fitted a bridge
  kNode,    // all cards of the node's board
  kDomain,  // a switched domain that may span nodes (NVL72)
};
BERTH_WORDS(NvLinkReach, "none", "bridge", "node", "domain");

struct NvLink {
  NvLinkReach reach = NvLinkReach::kNone;
  std::optional<int> generation;
  std::optional<int> links;                // per card
  std::optional<std::int64_t> total_gb_s;  // per card, both directions together

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.reach, self.generation, self.links, self.total_gb_s);
  }
  friend bool operator==(const NvLink&, const NvLink&) = default;
};

// Dense peak rates (no structured sparsity) at boost clock, in 10^9 operations per second.
// An absent rate is unknown or not offered by the hardware's documentation.
struct PeakRates {
  std::optional<std::int64_t> fp64_gflop_s;
  std::optional<std::int64_t> fp64_tensor_gflop_s;
  std::optional<std::int64_t> fp32_gflop_s;
  std::optional<std::int64_t> tf32_gflop_s;
  std::optional<std::int64_t> fp16_gflop_s;  // tensor cores where present
  std::optional<std::int64_t> bf16_gflop_s;
  std::optional<std::int64_t> fp8_gflop_s;
  std::optional<std::int64_t> fp4_gflop_s;
  std::optional<std::int64_t> int8_gop_s;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.fp64_gflop_s, self.fp64_tensor_gflop_s, self.fp32_gflop_s, self.tf32_gflop_s,
          self.fp16_gflop_s, self.bf16_gflop_s, self.fp8_gflop_s, self.fp4_gflop_s,
          self.int8_gop_s);
  }
  friend bool operator==(const PeakRates&, const PeakRates&) = default;
};

struct MpsLimits {
  int max_clients = 0;          // per card, oldest supported driver; 0 = MPS is not offered
  std::optional<int> sm_chunk;  // SMs per unit of a static SM partition

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.max_clients, self.sm_chunk);
  }
  friend bool operator==(const MpsLimits&, const MpsLimits&) = default;
};

// What entering or leaving MIG mode costs, and what each instance costs. Instances themselves never
// survive a reboot or reset, whatever the mode does.
struct MigSwitching {
  bool needs_reset = false;      // the mode switch resets the card
  bool survives_reboot = false;  // the mode (not the instances) is kept by the card
  std::optional<DurationMs> switch_ms;
  std::optional<DurationMs> instance_create_ms;  // GPU instance plus compute instance
  std::optional<DurationMs> instance_destroy_ms;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.needs_reset, self.survives_reboot, self.switch_ms, self.instance_create_ms,
          self.instance_destroy_ms);
  }
  friend bool operator==(const MigSwitching&, const MigSwitching&) = default;
};

// What it costs to take a process off the card from outside, by the driver's checkpoint functions.
// Only measured figures: without them no job is paused or suspended on the model.
struct ProcessSuspension {
  DurationMs lock_ms = 0;          // until no kernel runs any more, with none long under way
  std::int64_t out_mib_per_s = 0;  // device memory to host memory
  std::int64_t in_mib_per_s = 0;   // and back
  Mib kept_mib = 0;                // device memory that stays in use meanwhile

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lock_ms, self.out_mib_per_s, self.in_mib_per_s, self.kept_mib);
  }
  friend bool operator==(const ProcessSuspension&, const ProcessSuspension&) = default;
};

struct TimeSlicing {
  bool supported = false;
  bool quantum_settable = false;  // the driver offers the classes default, short, medium and long

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.supported, self.quantum_settable);
  }
  friend bool operator==(const TimeSlicing&, const TimeSlicing&) = default;
};

struct GpuModel {
  std::string name;                  // canonical, e.g. "H100-SXM5-80GB"
  std::vector<std::string> aliases;  // other names under which fleets and traces know it
  std::string vendor;                // "nvidia"
  std::string architecture;          // "hopper"
  // As the vendor's driver says them: "NVIDIA H100 80GB HBM3", "Nvidia", "9.0".
  std::optional<std::string> product_name;
  std::optional<std::string> brand;
  std::optional<std::string> compute_capability;
  std::vector<std::string> device_ids;  // PCI, without the vendor part: four upper-case hex digits
  std::optional<std::string> min_driver;  // oldest driver that offers this model's sharing modes

  // Usable memory as the device reports it: its total minus what the driver keeps for itself.
  // Where no public source states the driver's part, it is the reported total and
  // memory_reserved_mib is empty; an agent's reading replaces both.
  Mib memory_mib = 0;
  std::optional<Mib> memory_reserved_mib;  // already subtracted from memory_mib
  std::optional<std::int64_t> memory_bandwidth_gb_s;

  int sms = 0;                 // whole card, MIG off
  std::optional<int> sms_mig;  // whole card in MIG mode, where it differs or is measured

  int memory_slots = 0;    // MIG grid; 0 = no MIG
  int compute_slices = 0;  // 0 = no MIG
  std::vector<MigProfile> mig_profiles;
  std::optional<MigSwitching> mig_switching;  // set exactly when the model has a MIG grid

  NvLink nvlink;
  PeakRates peak;
  std::optional<int> board_power_w;  // most the board may draw by default
  MpsLimits mps;
  TimeSlicing time_slicing;
  std::optional<ProcessSuspension> suspension;  // none: not measured
  std::vector<std::string> sources;             // public origins of the values

  bool has_mig() const { return memory_slots > 0; }
  // What the device reports as its total.
  Mib memory_total_mib() const { return memory_mib + memory_reserved_mib.value_or(0); }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.name, self.aliases, self.vendor, self.architecture, self.device_ids, self.min_driver,
          self.memory_mib, self.memory_reserved_mib, self.memory_bandwidth_gb_s, self.sms,
          self.sms_mig, self.memory_slots, self.compute_slices, self.mig_profiles,
          self.mig_switching, self.nvlink, self.peak, self.board_power_w, self.mps,
          self.time_slicing, self.suspension, self.sources, self.product_name, self.brand,
          self.compute_capability);
  }
  static std::size_t fields_in(std::uint64_t format) { return format < 7 ? 22 : 25; }
  friend bool operator==(const GpuModel&, const GpuModel&) = default;
};

// A model of which name, makers and memory are known and no more, as traces name them: shared in
// time, without MIG.
GpuModel nominal_model(std::string name, std::string vendor, std::string architecture,
                       Mib memory_mib);

// A profile by its place in the grid; what else a driver would say of it is unknown.
MigProfile grid_profile(std::string name, std::optional<int> id, int compute_slices,
                        int memory_slots, int max, std::vector<int> starts);

// Limits that keep an occupancy of a card's MIG grid a 64-bit mask and a multiset of profiles a
// 64-bit key.
inline constexpr int kMaxMigPlacements = 64;
inline constexpr int kMaxMigProfiles = 16;
inline constexpr int kMaxMigInstances = 15;  // of one profile
inline constexpr int kMaxMigSlots = 32;

// Refuses a model that contradicts itself; the error names the field, e.g.
// "mig_profiles[2].starts[1]".
Status validate(const GpuModel& model);

// Refuses two models that share a name, an alias or a device id.
Status validate_catalogue(const std::vector<GpuModel>& models);

}  // namespace berth

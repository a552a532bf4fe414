// Small builders for tests: a fleet or a job in one line. Tests only.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "model/command.h"
#include "model/fleet.h"
#include "model/gpu_model.h"
#include "model/job.h"

namespace berth::testing {

// A card without MIG that can be shared both ways.
inline GpuModel plain_model(const std::string& name, Mib memory_mib) {
  GpuModel model = nominal_model(name, "test", "test", memory_mib);
  model.sms = 100;
  model.mps.max_clients = 48;
  return model;
}

// The seven-slice, eight-slot grid of 80 GB cards.
inline GpuModel grid_model(const std::string& name) {
  GpuModel model = plain_model(name, 81'920);
  model.memory_slots = 8;
  model.compute_slices = 7;
  model.mig_switching = MigSwitching{};
  model.mig_profiles = {grid_profile("1g.10gb", 19, 1, 1, 7, {0, 1, 2, 3, 4, 5, 6}),
                        grid_profile("1g.20gb", 15, 1, 2, 4, {0, 2, 4, 6}),
                        grid_profile("2g.20gb", 14, 2, 2, 3, {0, 2, 4}),
                        grid_profile("3g.40gb", 9, 3, 4, 2, {0, 4}),
                        grid_profile("4g.40gb", 5, 4, 4, 1, {0}),
                        grid_profile("7g.80gb", 0, 7, 8, 1, {0})};
  return model;
}

inline NodeSpec node(const std::string& name, const std::string& model, std::size_t cards,
                     CpuMilli cpu_milli = 64'000, Mib memory_mib = 512 * 1024) {
  NodeSpec spec;
  spec.name = name;
  spec.model = model;
  spec.cpu_milli = cpu_milli;
  spec.memory_mib = memory_mib;
  spec.cards.resize(cards);
  return spec;
}

inline NodeSpec mig_node(const std::string& name, const std::string& model, std::size_t cards) {
  NodeSpec spec = node(name, model, cards);
  for (CardSpec& card : spec.cards) card.mig = MigRegime::kDynamic;
  return spec;
}

inline QueueSpec queue(const std::string& name) {
  QueueSpec spec;
  spec.name = name;
  return spec;
}

// A job of one role with one container.
inline JobSpec job(const std::string& queue, DeviceRequest devices, std::uint32_t tasks = 1) {
  JobSpec spec;
  spec.queue = queue;
  Role role;
  role.count = tasks;
  Container container;
  container.name = "main";
  container.devices = std::move(devices);
  role.containers.push_back(std::move(container));
  spec.roles.push_back(std::move(role));
  return spec;
}

inline DeviceRequest whole(std::uint32_t cards) {
  DeviceRequest request;
  request.count = cards;
  return request;
}

inline DeviceRequest share(CardUnits compute) {
  DeviceRequest request;
  request.count = 1;
  request.kind = ShareKind::kShare;
  request.compute = compute;
  return request;
}

inline DeviceRequest memory_share(Mib memory_mib) {
  DeviceRequest request = share(0);
  request.memory_mib = memory_mib;
  return request;
}

inline DeviceRequest mig(const std::string& profile) {
  DeviceRequest request;
  request.count = 1;
  request.kind = ShareKind::kMig;
  request.mig_profile = profile;
  return request;
}

inline Command submit(const std::string& name, JobSpec spec) {
  return {SubmitJob{name, std::make_shared<const JobSpec>(std::move(spec))}, {}, {}};
}

}  // namespace berth::testing

#include "bench/scale/jobs.h"

#include <algorithm>
#include <memory>

namespace berth::bench::scale {
namespace {

constexpr std::uint64_t kSeed = 42;
constexpr std::size_t kKindsPerProject = 10;  // that run alone
constexpr std::size_t kGangsPerProject = 3;
constexpr std::uint64_t kGangPct = 10;  // of what waits
// Organisations that run services on shares of cards; one in two or so.
constexpr std::size_t kServingOrganisations = 8;

Role role_of(std::uint32_t count, CpuMilli cpu_milli, Mib memory_mib, DeviceRequest devices) {
  Container container;
  container.name = "main";
  container.cpu_milli = cpu_milli;
  container.memory_mib = memory_mib;
  container.devices = std::move(devices);
  Role role;
  role.count = count;
  role.containers.push_back(std::move(container));
  return role;
}

DeviceRequest cards(std::uint32_t count, std::vector<std::string> models) {
  DeviceRequest request;
  request.count = count;
  request.models = std::move(models);
  return request;
}

DeviceRequest share(CardUnits compute, const char* model) {
  DeviceRequest request = cards(1, {model});
  request.kind = ShareKind::kShare;
  request.compute = compute;
  return request;
}

DeviceRequest instance(const char* profile) {
  DeviceRequest request = cards(1, {kAmpere});
  request.kind = ShareKind::kMig;
  request.mig_profile = profile;
  return request;
}

// The last model is less than a tenth of the fleet, and its kinds are as few.
void add_whole(std::vector<Kind>& kinds) {
  const std::vector<std::vector<std::string>> models = {
      {kHopper}, {kHopper, kAmpere}, {kAmpere}, {kAda}};
  for (const auto& accepted : models) {
    for (const std::uint32_t count : {1U, 2U, 4U, 8U}) {
      for (const CpuMilli per_card : {2'000, 3'000, 4'000, 5'000, 6'000, 8'000, 10'000, 12'000,
                                      14'000, 16'000, 20'000, 22'000}) {
        if (accepted.front() == kAda && (count > 2 || per_card > 8'000)) continue;
        Kind kind;
        kind.priority = per_card == 8'000 ? 1 : 0;
        kind.role = role_of(1, per_card * count, per_card * 8 * count, cards(count, accepted));
        kinds.push_back(std::move(kind));
      }
    }
  }
}

void add_shares(std::vector<Kind>& kinds) {
  for (const char* model : {kHopper, kAmpere, kAda}) {
    for (const CardUnits part : {kCard / 10, kCard / 5, kCard / 4, kCard / 2}) {
      for (const CpuMilli cpu : {1'000, 4'000}) {
        kinds.push_back(
            {Sort::kShare, JobClass::kInference, 2, role_of(1, cpu, cpu * 4, share(part, model))});
      }
    }
  }
}

void add_instances(std::vector<Kind>& kinds) {
  for (const char* profile : {"1g.10gb", "2g.20gb", "3g.40gb"}) {
    for (const CpuMilli cpu : {1'000, 2'000, 4'000}) {
      kinds.push_back(
          {Sort::kMig, JobClass::kInteractive, 1, role_of(1, cpu, cpu * 4, instance(profile))});
    }
  }
}

// Work without cards, and cards with more cores than their part of a node.
void add_heavy(std::vector<Kind>& kinds) {
  for (const CpuMilli cpu : {8'000, 32'000, 64'000, 96'000}) {
    for (const Mib per_core : {2, 8}) {
      kinds.push_back({Sort::kCpu, JobClass::kTraining, 0, role_of(1, cpu, cpu * per_core, {})});
    }
  }
  for (const char* model : {kHopper, kAmpere, kAda}) {
    for (const CpuMilli cpu : {32'000, 48'000}) {
      kinds.push_back(
          {Sort::kWhole, JobClass::kTraining, 0, role_of(1, cpu, cpu * 8, cards(1, {model}))});
    }
  }
}

// Up to a leaf of nodes they must lie in one; larger ones in one pod.
void add_gangs(std::vector<Kind>& kinds) {
  for (const char* model : {kHopper, kAmpere}) {
    for (const std::uint32_t nodes : {2U, 4U, 8U, 16U, 32U, 64U}) {
      for (const CpuMilli cpu : {64'000, 96'000, 120'000}) {
        Kind kind{Sort::kGang, JobClass::kTraining, 1,
                  role_of(nodes, cpu, cpu * 8, cards(kCardsPerNode, {model}))};
        const char* level = nodes <= kNodesPerLeaf ? "leaf" : "pod";
        kind.role.topology = {{RuleUnit::kRole, level, RuleStrength::kRequired}};
        kinds.push_back(std::move(kind));
      }
    }
  }
}

// The earlier ones more often: the lesser of two draws.
std::size_t early(Rng& random, std::size_t count) {
  return std::min(random.below(count), random.below(count));
}

}  // namespace

std::vector<Kind> catalogue() {
  std::vector<Kind> kinds;
  add_whole(kinds);
  add_shares(kinds);
  add_instances(kinds);
  add_heavy(kinds);
  add_gangs(kinds);
  return kinds;
}

Draws::Draws(const Tenants& tenants) : kinds_(catalogue()), random_(kSeed) {
  const std::size_t of_each = tenants.projects.size() / kOrganisations;
  for (std::size_t p = 0; p < tenants.projects.size(); ++p) {
    add_project(tenants.projects[p], p / of_each < kServingOrganisations);
  }
}

void Draws::add_project(const std::string& queue, bool serves) {
  Project project;
  project.queue = queue;
  while (project.alone.size() < kKindsPerProject || project.gangs.size() < kGangsPerProject) {
    const std::size_t k = random_.below(kinds_.size());
    const Sort sort = kinds_[k].sort;
    if (sort == Sort::kShare && !serves) continue;
    auto& row = sort == Sort::kGang ? project.gangs : project.alone;
    const std::size_t most = sort == Sort::kGang ? kGangsPerProject : kKindsPerProject;
    if (row.size() < most) row.push_back(k);
  }
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const bool small =
        kinds_[k].sort == Sort::kWhole && kinds_[k].role.containers[0].devices.count == 1;
    if (serves ? kinds_[k].sort == Sort::kShare : small) project.replicas.push_back(k);
  }
  projects_.push_back(std::move(project));
}

JobSpecPtr Draws::waiting() { return random_.below(100) < kGangPct ? gang() : alone(); }
JobSpecPtr Draws::alone() { return draw(&Project::alone); }
JobSpecPtr Draws::gang() { return draw(&Project::gangs); }
JobSpecPtr Draws::replica() { return draw(&Project::replicas); }

JobSpecPtr Draws::draw(std::vector<std::size_t> Project::*kinds) {
  const std::size_t p = random_.below(projects_.size());
  const std::vector<std::size_t>& row = projects_[p].*kinds;
  return spec_of(p, row[early(random_, row.size())]);
}

JobSpecPtr Draws::spec_of(std::size_t project, std::size_t kind) {
  JobSpecPtr& known = specs_[{project, kind}];
  if (known != nullptr) return known;
  auto spec = std::make_shared<JobSpec>();
  spec->queue = projects_[project].queue;
  spec->job_class = kinds_[kind].job_class;
  spec->priority = kinds_[kind].priority;
  spec->roles.push_back(kinds_[kind].role);
  known = std::move(spec);
  return known;
}

}  // namespace berth::bench::scale

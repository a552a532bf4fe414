#include "bench/scale/counted.h"

#include <functional>

#include "bench/common/progress.h"
#include "bench/scale/jobs.h"
#include "bench/scale/load.h"

namespace berth::bench::scale {
namespace {

constexpr std::size_t kNodes = 512;
constexpr std::size_t kChanges = 50;

struct Case {
  const char* name;
  bool settled;  // the jobs that wait have been told why before the first cycle that is counted
  std::function<void(Cluster&, Draws&)> change;  // what happens before each of them
};

JobId oldest_running(const engine::ClusterState& state) {
  for (const JobId id : state.jobs().sorted_ids()) {
    if (state.find_job(id)->phase == JobPhase::kRunning) return id;
  }
  return JobId::none();
}

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"full", false, [](Cluster&, Draws&) {}},
      {"ended", true,
       [](Cluster& cluster, Draws&) { cluster.end(oldest_running(cluster.state())); }},
      {"came", true, [](Cluster& cluster, Draws& draws) { cluster.submit(draws.waiting()); }},
      {"idle", true, [](Cluster&, Draws&) {}},
  };
  return kCases;
}

std::size_t run_case(const Case& which, Cluster& cluster, Draws& draws) {
  std::size_t decisions = 0;
  for (std::size_t i = 0; i < (which.settled ? kChanges : 1); ++i) {
    which.change(cluster, draws);
    cluster.pass(1);
    const Plan plan = counted_cycle(cluster);
    decisions += plan.decisions.size();
    cluster.carry_out(plan);
    cluster.settle();
  }
  return decisions;
}

}  // namespace

std::vector<std::string> counted_names() {
  std::vector<std::string> names;
  for (const Case& one : cases()) names.emplace_back(one.name);
  return names;
}

Result<std::size_t> run_counted(const std::string& name) {
  const Size size{kNodes};
  const auto tenants = tenants_of(size);
  if (!tenants) return tl::unexpected(tenants.error());
  Draws draws(*tenants);
  Progress progress("scale", kFillSteps);
  Cluster cluster;
  fill(cluster, *tenants, size, draws, progress);
  for (const Case& one : cases()) {
    if (name != one.name) continue;
    if (one.settled) cluster.settle();
    return run_case(one, cluster, draws);
  }
  return invalid("is '" + name + "', which is no case", "--instructions");
}

Plan counted_cycle(Cluster& cluster) { return cluster.engine().plan(cluster.now()); }

}  // namespace berth::bench::scale

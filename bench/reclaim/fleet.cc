#include "bench/reclaim/fleet.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "bench/drive/plain_jobs.h"
#include "engine/decide.h"

namespace berth::bench::reclaim {
namespace {

constexpr const char* kOwner = "owner";
constexpr const char* kBorrower = "borrower";
constexpr std::size_t kGangNodes = 8;  // 64 cards
constexpr std::size_t kPrices = 64;    // kinds of checkpoints of mixed victims

class Filler {
 public:
  Filler(const CaseSpec& spec, std::uint64_t seed) : spec_(spec), random_(seed) {}

  engine::ClusterState run() {
    declare();
    if (spec_.victims == Victims::kSingles) {
      fill_with_singles();
    } else {
      fill_with_all();
    }
    execute(SubmitJob{"gang", gang()}, kNow);
    return std::move(state_);
  }

 private:
  void declare() {
    execute(DeclareModel{nominal_model(kPlainModel, "unknown", "unknown", kPlainCardMib)}, 0);
    TopologySpec topology;
    topology.levels = {"card", "node", "leaf"};
    execute(DeclareTopology{topology}, 0);
    PolicySpec policy;
    policy.reclaim = {ReclaimRight::kGuarantee};
    execute(SetPolicy{policy, {}}, 0);
    for (std::size_t n = 0; n < spec_.nodes; ++n) {
      NodeSpec node = plain_node("node-" + std::to_string(100'000 + n), kCardsPerNode);
      node.domains = {{"leaf", "leaf-" + std::to_string(10'000 + n / kNodesPerLeaf)}};
      execute(JoinNode{node}, 0);
    }
    QueueSpec owner;
    owner.name = kOwner;
    FlavourQuota quota;
    quota.model = kPlainModel;
    quota.guarantee = static_cast<CardUnits>(spec_.cards()) * kCard;
    owner.quotas.push_back(quota);
    execute(DeclareQueue{owner}, 0);
    QueueSpec borrower;
    borrower.name = kBorrower;
    borrower.weight = 0;
    execute(DeclareQueue{borrower}, 0);
  }

  // Job i on node i mod N.
  void fill_with_singles() {
    const JobSpecPtr spec = plain_job(kBorrower, 1, kCardsPerNode);
    for (std::size_t i = 0; i < spec_.cards(); ++i) {
      run_job(spec, {{i % spec_.nodes, i / spec_.nodes, 1}}, 0);
    }
  }

  // Half of the cards to gangs of 64, a quarter to jobs of 8, a quarter to jobs of one; who ran how
  // long, how fast it saves and how fast it starts again differs.
  void fill_with_all() {
    std::vector<std::size_t> nodes(spec_.nodes);
    std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[random_.below(i)]);
    const std::size_t gangs = spec_.nodes / 2 / kGangNodes;
    std::size_t next = 0;
    for (std::size_t g = 0; g < gangs; ++g) {
      std::vector<Part> parts;
      for (std::size_t k = 0; k < kGangNodes; ++k) parts.push_back({nodes[next++], 0, 8});
      run_job(mixed(kGangNodes * kCardsPerNode), parts, started());
    }
    const std::size_t eights = next + spec_.nodes / 4;
    for (; next < eights; ++next) run_job(mixed(8), {{nodes[next], 0, 8}}, started());
    for (; next < nodes.size(); ++next) {
      for (std::size_t card = 0; card < kCardsPerNode; ++card) {
        run_job(mixed(1), {{nodes[next], card, 1}}, started());
      }
    }
  }

  TimeMs started() { return static_cast<TimeMs>(random_.below(kNow)); }

  JobSpecPtr mixed(std::size_t cards) {
    std::vector<JobSpecPtr>& specs = cards == 1 ? singles_ : cards == 8 ? eights_ : gangs_;
    if (specs.empty()) {
      for (std::size_t p = 0; p < kPrices; ++p) {
        auto spec = std::make_shared<JobSpec>(
            *plain_job(kBorrower, static_cast<int>(cards), kCardsPerNode));
        spec->checkpoint.method = CheckpointMethod::kSignal;
        spec->checkpoint.acknowledges = random_.below(20) > 0;
        spec->checkpoint.duration_ms = static_cast<DurationMs>(5 + random_.below(300)) * kSecondMs;
        spec->checkpoint.restart_ms = static_cast<DurationMs>(30 + random_.below(300)) * kSecondMs;
        specs.push_back(std::move(spec));
      }
    }
    return specs[random_.below(specs.size())];
  }

  // Cards of one node, from the first on, that one task holds.
  struct Part {
    std::size_t node = 0;
    std::size_t first_card = 0;
    std::size_t cards = 0;
  };

  void run_job(const JobSpecPtr& spec, const std::vector<Part>& parts, TimeMs started) {
    const JobId job = state_.next_job();
    apply(JobSubmitted{job, "j" + std::to_string(job.value()), spec}, 0);
    std::vector<LeaseId> leases;
    for (std::size_t t = 0; t < parts.size(); ++t) {
      LeaseGranted grant;
      grant.lease = state_.next_lease();
      grant.job = job;
      grant.ownership = LeaseOwnership::kBorrowed;
      grant.placement.task = static_cast<std::uint32_t>(t);
      grant.placement.node = NodeIndex(static_cast<std::uint32_t>(parts[t].node));
      for (std::size_t c = 0; c < parts[t].cards; ++c) {
        CardGrant card;
        card.card = static_cast<std::uint16_t>(parts[t].first_card + c);
        card.compute = kCard;
        card.memory = kPlainCardMib * 8;
        grant.placement.grants.push_back(card);
      }
      leases.push_back(grant.lease);
      apply(std::move(grant), 0);
    }
    for (const LeaseId lease : leases) apply(LeasePrepared{lease}, 0);
    starts_.push_back({started, job});
  }

  JobSpecPtr gang() {
    const auto cards = static_cast<int>(spec_.gang_tasks() * kCardsPerNode);
    auto spec = std::make_shared<JobSpec>(*plain_job(kOwner, cards, kCardsPerNode));
    if (spec_.wish == Wish::kAnywhere) return spec;
    spec->roles.front().segment_tasks = kSegmentTasks;
    spec->roles.front().topology = {{RuleUnit::kSegment, "leaf", RuleStrength::kRequired}};
    return spec;
  }

  // What has happened up to then comes first.
  void execute(CommandBody body, TimeMs at) {
    std::sort(starts_.begin(), starts_.end());
    for (const auto& [started, job] : std::exchange(starts_, {})) apply(JobStarted{job}, started);
    const auto events = engine::decide(state_, {std::move(body), {}, {}}, at);
    BERTH_CHECK(events.has_value());
    for (const Event& event : *events) state_.apply(event);
  }

  void apply(EventBody body, TimeMs at) { state_.apply(Event{at, std::move(body)}); }

  const CaseSpec& spec_;
  Rng random_;
  engine::ClusterState state_;
  std::vector<std::pair<TimeMs, JobId>> starts_;
  std::vector<JobSpecPtr> singles_;
  std::vector<JobSpecPtr> eights_;
  std::vector<JobSpecPtr> gangs_;
};

}  // namespace

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> all;
  for (const std::size_t nodes : {500, 1000, 4000, 16384}) {
    all.push_back({std::to_string(nodes), nodes, Victims::kSingles, Wish::kAnywhere});
  }
  for (const std::size_t nodes : {1000, 16384}) {
    const std::string size = std::to_string(nodes);
    all.push_back({size + "-gangs", nodes, Victims::kMixed, Wish::kAnywhere});
    all.push_back({size + "-topology", nodes, Victims::kMixed, Wish::kSegments});
  }
  return all;
}

engine::ClusterState full_fleet(const CaseSpec& spec, std::uint64_t seed) {
  return Filler(spec, seed).run();
}

}  // namespace berth::bench::reclaim

// What cycles make of quotas, decision by decision: guarantees are met where there is demand,
// nobody envies another by more than one job, and more weight never means less.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/scenario/testing.h"

namespace berth::sim {
namespace {

using testing::LineRunner;

struct Tenant {
  std::string name;
  std::string parent;
  std::int64_t guarantee = 0;  // cards
  std::int64_t weight = 1;
  std::int64_t jobs = 0;  // of one card each
};

std::string text_of(std::int64_t number) { return std::to_string(number); }

// Of a fleet of 16 cards, at most so much is promised.
std::vector<Tenant> tenants(bool with_guarantees) {
  const auto count = *rc::gen::inRange<std::size_t>(2, 6);
  std::vector<Tenant> all;
  std::int64_t left = 16;
  for (std::size_t i = 0; i < count; ++i) {
    Tenant one;
    one.name = std::string(1, static_cast<char>('a' + i));
    if (with_guarantees) one.guarantee = *rc::gen::inRange<std::int64_t>(0, left + 1);
    left -= one.guarantee;
    one.weight = *rc::gen::inRange<std::int64_t>(1, 5);
    one.jobs = *rc::gen::inRange<std::int64_t>(0, 20);
    all.push_back(one);
  }
  return all;
}

class Fleet {
 public:
  explicit Fleet(const std::vector<Tenant>& tenants) {
    runner_.declare("node n[1-2] model=H100-SXM5-80GB gpus=8");
    for (const Tenant& one : tenants) {
      const std::string parent = one.parent.empty() ? "" : " parent=" + one.parent;
      const std::string owned = one.guarantee == 0 ? "" : " guarantee=" + text_of(one.guarantee);
      runner_.declare("queue " + one.name + parent + owned + " weight=" + text_of(one.weight));
    }
    for (const Tenant& one : tenants) {
      if (one.jobs == 0) continue;
      runner_.run("submit " + one.name + "[1-" + text_of(one.jobs) + "] queue=" + one.name +
                  " gpus=1");
    }
    runner_.run("cycle");
  }

  // Cards of the queue and of all below it.
  std::int64_t held(const std::string& queue) const {
    const auto& tree = runner_.state().quota();
    CardUnits sum = 0;
    for (const auto& usage : tree.queue(tree.find(queue)).usage) sum += usage.total.compute;
    return sum / kCard;
  }

 private:
  LineRunner runner_;
};

// By weight, above what is guaranteed, and but for one job, nobody has more than one who waits.
void nobody_envies(const Fleet& fleet, const std::vector<Tenant>& siblings,
                   const std::vector<std::int64_t>& demands) {
  const auto excess = [&](std::size_t i) {
    return std::max<std::int64_t>(0, fleet.held(siblings[i].name) - siblings[i].guarantee);
  };
  for (std::size_t i = 0; i < siblings.size(); ++i) {
    if (fleet.held(siblings[i].name) == demands[i]) continue;  // it has all that it wants
    for (std::size_t j = 0; j < siblings.size(); ++j) {
      RC_ASSERT((excess(j) - 1) * siblings[i].weight <= excess(i) * siblings[j].weight);
    }
  }
}

RC_GTEST_PROP(Shares, GuaranteesAreMetAndNobodyEnviesMoreThanAJob, ()) {
  const std::vector<Tenant> all = tenants(true);
  const Fleet fleet(all);
  std::vector<std::int64_t> demands;
  std::int64_t held = 0;
  std::int64_t wanted = 0;
  for (const Tenant& one : all) {
    RC_ASSERT(fleet.held(one.name) >= std::min(one.guarantee, one.jobs));
    held += fleet.held(one.name);
    wanted += one.jobs;
    demands.push_back(one.jobs);
  }
  RC_ASSERT(held == std::min<std::int64_t>(16, wanted));
  nobody_envies(fleet, all, demands);
}

RC_GTEST_PROP(Shares, NobodyEnviesAtAnyLevelOfTheTree, ()) {
  std::vector<Tenant> leaves = tenants(false);
  std::vector<Tenant> inner = {{"x", "", 0, *rc::gen::inRange<std::int64_t>(1, 5), 0},
                               {"y", "", 0, *rc::gen::inRange<std::int64_t>(1, 5), 0}};
  for (Tenant& leaf : leaves) leaf.parent = inner[*rc::gen::inRange<std::size_t>(0, 2)].name;
  std::vector<Tenant> all = inner;
  all.insert(all.end(), leaves.begin(), leaves.end());
  const Fleet fleet(all);
  std::vector<std::int64_t> of_inner;
  for (const Tenant& parent : inner) {
    std::vector<Tenant> siblings;
    std::vector<std::int64_t> demands;
    std::int64_t sum = 0;
    for (const Tenant& leaf : leaves) {
      if (leaf.parent != parent.name) continue;
      siblings.push_back(leaf);
      demands.push_back(leaf.jobs);
      sum += leaf.jobs;
    }
    nobody_envies(fleet, siblings, demands);
    of_inner.push_back(sum);
  }
  nobody_envies(fleet, inner, of_inner);
}

RC_GTEST_PROP(Shares, MoreWeightIsNeverLess, ()) {
  std::vector<Tenant> all = tenants(true);
  const auto who = *rc::gen::inRange<std::size_t>(0, all.size());
  const std::int64_t before = Fleet(all).held(all[who].name);
  all[who].weight += *rc::gen::inRange<std::int64_t>(1, 5);
  RC_ASSERT(Fleet(all).held(all[who].name) >= before);
}

}  // namespace
}  // namespace berth::sim

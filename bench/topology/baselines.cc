#include "bench/topology/baselines.h"

#include <algorithm>
#include <tuple>

namespace berth::bench::topology {
namespace {

// The index below `count` with the least key; nothing where `key` gives nothing for any of them.
template <typename Key>
std::optional<std::uint32_t> least(std::size_t count, const Key& key) {
  std::optional<std::uint32_t> best;
  decltype(key(0)) lowest;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto here = key(i);
    if (!here || (best && !(*here < *lowest))) continue;
    best = i;
    lowest = here;
  }
  return best;
}

}  // namespace

const std::vector<std::string>& baseline_names() {
  static const std::vector<std::string> kNames = {"random", "first_free", "leaf_bestfit",
                                                  "leaf_bestfit_small"};
  return kNames;
}

std::optional<Hosts> BaselinePlacer::find(const Arrival& job) {
  if (!fits(job)) return std::nullopt;
  if (rule_ == Baseline::kRandom) return find_random(job);
  if (!job.is_gang()) return Hosts{one_host(job.gpus)};
  return rule_ == Baseline::kFirstFree ? first_hosts(job) : leaf_hosts(job);
}

bool BaselinePlacer::fits(const Arrival& job) const {
  const auto whole = static_cast<std::size_t>(job.whole_hosts());
  if (floor_.whole().size() < whole) return false;
  if (job.remainder() == 0 || floor_.whole().size() > whole) return true;
  return floor_.has_part(job.remainder());
}

Hosts BaselinePlacer::find_random(const Arrival& job) {
  Hosts free;
  floor_.whole().each([&](HostIndex host) { free.push_back(host); });
  Hosts hosts;
  for (int i = 0; i < job.whole_hosts(); ++i) {
    const std::size_t pick = random_() % free.size();
    hosts.push_back(free[pick]);
    free[pick] = free.back();
    free.pop_back();
  }
  if (job.remainder() == 0) return hosts;
  for (int cards = job.remainder(); cards < kCardsPerHost; ++cards) {
    floor_.with_free(cards).each([&](HostIndex host) { free.push_back(host); });
  }
  hosts.push_back(free[random_() % free.size()]);
  return hosts;
}

// For a job that one host holds; there is such a host.
HostIndex BaselinePlacer::one_host(int cards) const {
  while (floor_.with_free(cards).size() == 0) ++cards;
  const HostSet& fitting = floor_.with_free(cards);
  HostIndex best = fitting.at(0);
  if (rule_ != Baseline::kLeafBestFitSmall) return best;
  const auto whole = [&](HostIndex host) { return floor_.whole_in(floor_.fabric().leaf_of(host)); };
  fitting.each([&](HostIndex host) {
    if (whole(host) < whole(best)) best = host;
  });
  return best;
}

Hosts BaselinePlacer::first_hosts(const Arrival& job) const {
  const auto whole = static_cast<std::size_t>(job.whole_hosts());
  Hosts hosts;
  for (std::size_t i = 0; i < whole; ++i) hosts.push_back(floor_.whole().at(i));
  if (job.remainder() == 0) return hosts;
  const bool part = floor_.has_part(job.remainder());
  hosts.push_back(part ? one_host(job.remainder()) : floor_.whole().at(whole));
  return hosts;
}

Hosts BaselinePlacer::leaf_hosts(const Arrival& job) const {
  const auto whole = static_cast<std::size_t>(job.whole_hosts());
  Hosts hosts;
  const auto leaf = least(floor_.fabric().leaves(), [&](LeafIndex l) {
    return holds(l, job) ? std::optional(floor_.whole_in(l)) : std::nullopt;
  });
  if (leaf) {
    take_leaf(*leaf, whole, hosts);
  } else {
    take_leaves(whole, hosts);
  }
  if (job.remainder() > 0) hosts.push_back(host_of_rest(hosts, job.remainder()));
  return hosts;
}

bool BaselinePlacer::holds(LeafIndex leaf, const Arrival& job) const {
  const auto whole = static_cast<std::size_t>(job.whole_hosts());
  if (floor_.whole_in(leaf) < whole) return false;
  if (job.remainder() == 0 || floor_.whole_in(leaf) > whole) return true;
  const auto hosts = floor_.fabric().hosts_of(leaf);
  return std::any_of(hosts.begin(), hosts.end(), [&](HostIndex host) {
    return floor_.free(host) >= job.remainder() && floor_.free(host) < kCardsPerHost;
  });
}

void BaselinePlacer::take_leaf(LeafIndex leaf, std::size_t most, Hosts& hosts) const {
  for (const HostIndex host : floor_.fabric().hosts_of(leaf)) {
    if (most == 0) return;
    if (floor_.free(host) != kCardsPerHost) continue;
    hosts.push_back(host);
    --most;
  }
}

// The tightest leaf that holds all that is left, else the one with most.
void BaselinePlacer::take_leaves(std::size_t wanted, Hosts& hosts) const {
  std::vector<std::size_t> left;
  for (LeafIndex l = 0; l < floor_.fabric().leaves(); ++l) left.push_back(floor_.whole_in(l));
  while (wanted > 0) {
    auto leaf = least(left.size(), [&](LeafIndex l) {
      return left[l] >= wanted ? std::optional(left[l]) : std::nullopt;
    });
    if (!leaf) {
      leaf = static_cast<LeafIndex>(std::max_element(left.begin(), left.end()) - left.begin());
    }
    const std::size_t here = std::min(left[*leaf], wanted);
    take_leaf(*leaf, here, hosts);
    left[*leaf] = 0;
    wanted -= here;
  }
}

// In a leaf that the gang has already if there is one, on the fullest host that holds the rest.
HostIndex BaselinePlacer::host_of_rest(const Hosts& whole, int cards) const {
  const Fabric& fabric = floor_.fabric();
  std::vector<bool> in_leaf(fabric.leaves(), false);
  std::vector<bool> taken(fabric.hosts(), false);
  for (const HostIndex host : whole) {
    in_leaf[fabric.leaf_of(host)] = true;
    taken[host] = true;
  }
  using Key = std::tuple<bool, int>;
  return *least(fabric.hosts(), [&](HostIndex host) {
    const bool holds = !taken[host] && floor_.free(host) >= cards;
    const Key key{!in_leaf[fabric.leaf_of(host)], floor_.free(host)};
    return holds ? std::optional(key) : std::nullopt;
  });
}

}  // namespace berth::bench::topology

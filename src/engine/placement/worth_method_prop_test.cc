// Random histories of random fleets: the indexed search chooses what a look at every slot chooses,
// decision by decision, and quotes the same prices.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "engine/engine_testing.h"
#include "engine/placement/mig_search.h"
#include "engine/placement/worth_method.h"
#include "engine/placement/worth_scan.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

class History {
 public:
  explicit History(std::uint64_t seed) : rng_(seed) {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    run(DeclareModel{t::plain_model("small", 16'000)});
    run(DeclareModel{t::grid_model("grid")});
    for (const char* name : {"red", "blue"}) run(DeclareQueue{t::queue(name)});
    const std::size_t nodes = 5 + rng_.below(60);
    for (std::size_t n = 0; n < nodes; ++n) run(JoinNode{random_node(n)});
    renew();
  }

  void step() {
    ++now_;
    const std::uint64_t what = rng_.below(40);
    if (what < 22) return submit();
    if (what < 34) return end_one();
    if (what < 36) return apply({Event{now_, PricesObserved{random_prices()}}});
    if (what < 37) return apply({Event{now_, FitObserved{random_fit()}}});
    if (what < 38) return apply({Event{now_, PricesObserved{scan_->quote(state())}}});
    disturb();
  }

  // Asks both ways about a few shapes that the state knows.
  void compare() {
    if (revision_ != state().fit_revision()) renew();
    RC_ASSERT(method_->quote(state()) == scan_->quote(state()));
    for (int i = 0; i < 3 && state().shapes().size() > 0; ++i) {
      const ShapeIndex shape(static_cast<std::uint32_t>(rng_.below(state().shapes().size())));
      if (MigSearch::serves(state().shapes().at(shape))) continue;
      std::vector<ModelIndex> models;
      for (std::uint16_t m = 0; m < state().model_count() && rng_.below(2) == 0; ++m) {
        if (rng_.below(2) == 0) models.push_back(ModelIndex(m));
      }
      const auto found = method_->find_in(state(), shape, {models});
      const auto expected = scan_->find_in(state(), shape, {models});
      RC_ASSERT(found.has_value() == expected.has_value());
      if (!found) continue;
      RC_ASSERT(found->cost == expected->cost);
      RC_ASSERT(found->node == expected->node);
      RC_ASSERT(found->grants == expected->grants);
    }
  }

 private:
  const ClusterState& state() const { return engine_.state(); }

  void renew() {
    revision_ = state().fit_revision();
    method_ = std::make_unique<WorthMethod>(state());
    scan_ = std::make_unique<WorthScan>(state());
  }

  void run(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, now_);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    apply(*events);
  }
  void apply(const EventBatch& events) {
    for (const Event& event : events) engine_.apply(event);
  }

  NodeSpec random_node(std::size_t number) {
    static const std::vector<std::string> kModels = {"plain", "plain", "small", "grid"};
    const std::string& model = kModels[rng_.below(kModels.size())];
    NodeSpec node = t::node("n" + std::to_string(rng_.below(1000)) + "-" + std::to_string(number),
                            model, 1 + rng_.below(rng_.below(10) == 0 ? 64 : 8),
                            8000 * static_cast<CpuMilli>(1 + rng_.below(12)),
                            4096 * static_cast<Mib>(1 + rng_.below(8)));
    const bool cut = model == "grid" && rng_.below(2) == 0;
    for (std::size_t c = 0; c < node.cards.size(); ++c) {
      node.cards[c].island = static_cast<std::uint32_t>(c / 4);
      if (cut) node.cards[c].mig = MigRegime::kDynamic;
    }
    if (rng_.below(4) == 0) node.resources.push_back({"disk", 10});
    if (rng_.below(3) == 0) node.labels = {{"rack", rng_.below(2) == 0 ? "a" : "b"}};
    return node;
  }

  DeviceRequest random_devices() {
    DeviceRequest devices;
    switch (rng_.below(5)) {
      case 0:
        return {};
      case 1:
        devices = t::whole(static_cast<std::uint32_t>(1 + rng_.below(8)));
        if (rng_.below(4) == 0) devices.within = "island";
        break;
      case 2:
        devices = t::memory_share(static_cast<Mib>(1 + rng_.below(16'000)));
        break;
      case 3:
        devices = t::mig("1g.10gb");
        break;
      default:
        devices = t::share(static_cast<CardUnits>(1 + rng_.below(19)) * kCard / 20);
        if (rng_.below(2) == 0) devices.memory_mib = 0;
        if (rng_.below(6) == 0) devices.count = 2;
    }
    const bool any = devices.count == 0 || devices.kind == ShareKind::kMig;
    if (!any && rng_.below(4) == 0) devices.models = {rng_.below(2) == 0 ? "small" : "plain"};
    if (devices.count > 0 && rng_.below(5) == 0) {
      devices.selector = testing::kSomeSelectors[rng_.below(testing::kSomeSelectors.size())];
    }
    return devices;
  }

  JobSpec random_job() {
    JobSpec spec = t::job(rng_.below(2) == 0 ? "red" : "blue", random_devices());
    spec.job_class = static_cast<JobClass>(rng_.below(3));
    Container& main = spec.roles[0].containers[0];
    main.cpu_milli = 500 * static_cast<CpuMilli>(rng_.below(30));
    main.memory_mib = 512 * static_cast<Mib>(rng_.below(10));
    if (rng_.below(8) == 0) main.resources.push_back({"disk", 3});
    if (rng_.below(10) == 0) {
      Container beside = main;
      beside.name = "beside";
      beside.devices = random_devices();
      if (beside.devices.kind != ShareKind::kMig) spec.roles[0].containers.push_back(beside);
    }
    return spec;
  }

  void submit() {
    const JobId job = state().next_job();
    const LeaseId lease = state().next_lease();
    run(t::submit("j" + std::to_string(job.value()), random_job()).body);
    const EventBatch placed = engine_.place_at_once(job, now_);
    apply(placed);
    if (!placed.empty()) leases_.push_back(lease);
  }

  void end_one() {
    if (leases_.empty()) return;
    const std::size_t which = rng_.below(leases_.size());
    run(ReportEnded{leases_[which], 1, EndReason::kSucceeded});
    leases_[which] = leases_.back();
    leases_.pop_back();
  }

  void disturb() {
    const NodeIndex index(static_cast<std::uint32_t>(rng_.below(state().nodes().size())));
    const NodeRecord& node = state().node(index);
    if (rng_.below(2) == 0) {
      return run(SetNodeCondition{node.spec->name, static_cast<NodeCondition>(rng_.below(2))});
    }
    const auto card = static_cast<std::uint16_t>(rng_.below(node.cards.size()));
    run(SetCardHealth{node.spec->name, card, static_cast<CardHealth>(rng_.below(5))});
  }

  std::int64_t random_price() {
    const std::uint64_t kind = rng_.below(20);
    if (kind == 0) return 1'000'000;  // beyond what rows can hold
    return kind < 6 ? 0 : static_cast<std::int64_t>(rng_.below(1350));
  }

  Prices random_prices() {
    Prices prices;
    const bool some = rng_.below(2) == 0;
    for (std::size_t m = 0; m < state().model_count(); ++m) {
      prices.model.push_back(some ? random_price() : 0);
    }
    for (std::size_t size = 0; size < kBlockSizes; ++size) prices.block.push_back(random_price());
    prices.cpu = random_price();
    return prices;
  }

  FitPtr random_fit() {
    auto fit = std::make_shared<Fit>();
    for (std::size_t s = 0; s < state().shapes().size() && s < 20; ++s) {
      const ShapeIndex shape(static_cast<std::uint32_t>(s));
      fit->mix.push_back(
          {state().shapes().at(shape).request, static_cast<std::int64_t>(1 + rng_.below(1000))});
    }
    std::int32_t worth = 0;
    for (std::size_t h = 0; h < kHoleSteps; ++h) {
      if (rng_.below(100) == 0) worth += static_cast<std::int32_t>(rng_.below(8000));
      fit->hole_worth.push_back(std::min<std::int32_t>(worth, kCardWorth));
    }
    std::int64_t per_card = 40'000;
    for (int line = 0; line < 8; ++line) {
      fit->stranding.push_back({per_card, 65'536 * (line + 1) / 8,
                                std::int64_t{65'536} * kCardWorth / per_card * line / 8});
      per_card = per_card * 3 / 4;
    }
    return fit;
  }

  Rng rng_;
  Engine engine_;
  std::vector<LeaseId> leases_;
  TimeMs now_ = 0;
  std::uint64_t revision_ = 0;
  std::unique_ptr<WorthMethod> method_;
  std::unique_ptr<WorthScan> scan_;
};

RC_GTEST_PROP(WorthMethodProperty, IndexedSearchChoosesAsTheScan, (std::uint64_t seed)) {
  History history(seed);
  for (int i = 0; i < 300; ++i) {
    history.step();
    history.compare();
  }
}

}  // namespace
}  // namespace berth::engine

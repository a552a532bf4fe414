#include "engine/placement/scores_fgd.h"

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>

#include "base/check.h"

namespace berth::engine {
namespace {

constexpr std::int64_t kMostWeight = std::int64_t{1} << 30;

// The least fall of fragmentation that scores k = 1..99: 1000 ln(k / (100 - k)) thousandths of a
// card, in millionths of that and rounded up. Computed once with 50 digits.
constexpr std::array<std::int64_t, 99> kLeastFall = {
    -4'595'119'850, -3'891'820'298, -3'476'098'689, -3'178'053'830, -2'944'438'979,
    -2'751'535'313, -2'586'689'344, -2'442'347'035, -2'313'634'929, -2'197'224'577,
    -2'090'741'096, -1'992'430'164, -1'900'958'761, -1'815'289'966, -1'734'601'055,
    -1'658'228'076, -1'585'627'263, -1'516'347'489, -1'450'010'175, -1'386'294'361,
    -1'324'925'414, -1'265'666'373, -1'208'311'205, -1'152'679'509, -1'098'612'288,
    -1'045'968'555, -994'622'575,   -944'461'608,   -895'384'047,   -847'297'860,
    -800'119'300,   -753'771'802,   -708'185'057,   -663'294'217,   -619'039'208,
    -575'364'144,   -532'216'813,   -489'548'225,   -447'312'218,   -405'465'108,
    -363'965'377,   -322'773'392,   -281'851'152,   -241'162'056,   -200'670'695,
    -160'342'650,   -120'144'311,   -80'042'707,    -40'005'334,    0,
    40'005'335,     80'042'708,     120'144'312,    160'342'651,    200'670'696,
    241'162'057,    281'851'153,    322'773'393,    363'965'378,    405'465'109,
    447'312'219,    489'548'226,    532'216'814,    575'364'145,    619'039'209,
    663'294'218,    708'185'058,    753'771'803,    800'119'301,    847'297'861,
    895'384'048,    944'461'609,    994'622'576,    1'045'968'556,  1'098'612'289,
    1'152'679'510,  1'208'311'206,  1'265'666'374,  1'324'925'415,  1'386'294'362,
    1'450'010'176,  1'516'347'490,  1'585'627'264,  1'658'228'077,  1'734'601'056,
    1'815'289'967,  1'900'958'762,  1'992'430'165,  2'090'741'097,  2'197'224'578,
    2'313'634'930,  2'442'347'036,  2'586'689'345,  2'751'535'314,  2'944'438'980,
    3'178'053'831,  3'476'098'690,  3'891'820'299,  4'595'119'851};
constexpr std::int64_t kFallUnit = 1'000'000;

using FreeList = boost::container::small_vector<CardUnits, 8>;

FreeList free_of(const CardList& cards) {
  FreeList free;
  for (const CardState& card : cards) free.push_back(card.compute_free);
  return free;
}

bool accepts(const ClusterState& state, const TaskRequest& task, ModelIndex model) {
  for (const DeviceRequest& request : task.devices) {
    if (request.kind == ShareKind::kMig) return false;
    if (!model_accepted(state, model, request)) return false;
    if (!state.selectors().may_match(request, *state.model(model).gpu)) return false;
  }
  return !task.devices.empty();
}

bool asks_one_share(const Shape& shape) {
  return shape.request.devices.size() == 1 && shape.request.devices.front().count == 1 &&
         shape.request.devices.front().kind == ShareKind::kShare;
}

// The score of giving one share, with the sign turned.
class ShareCost final : public CardCost {
 public:
  ShareCost(const FragmentMeasure& measure, ModelIndex model, const Slot& slot, const Shape& shape)
      : measure_(measure),
        model_(model),
        cpu_after_(slot.cpu_free - shape.request.cpu_milli),
        free_(free_of(slot.cards)),
        before_(measure.of(model, slot.cpu_free, free_)) {}

  std::int64_t of_change(const CardKind& /*kind*/, const CardState& before,
                         const CardState& after) const override {
    FreeList free = free_;
    const auto card = std::find(free.begin(), free.end(), before.compute_free);
    BERTH_CHECK(card != free.end());
    *card = after.compute_free;
    return -gradient_score(before_ - measure_.of(model_, cpu_after_, free),
                           measure_.total_weight());
  }

 private:
  const FragmentMeasure& measure_;
  ModelIndex model_;
  CpuMilli cpu_after_;
  FreeList free_;
  std::int64_t before_;
};

}  // namespace

FragmentMeasure::FragmentMeasure(const ClusterState& state, const Fit& fit)
    : models_(state.model_count()) {
  std::int64_t sum = 0;
  for (const MixEntry& entry : fit.mix) sum = saturating_add(sum, entry.weight);
  const std::int64_t scale = sum / kMostWeight + 1;
  for (const MixEntry& entry : fit.mix) {
    Task task{entry.shape.cpu_milli, 0, 0, entry.weight / scale};
    for (const DeviceRequest& request : entry.shape.devices) {
      const CardUnits ask = request.kind == ShareKind::kShare ? request.compute : kCard;
      task.per_card = std::max(task.per_card, ask);
      task.cards += request.count;
    }
    total_weight_ += task.weight;
    for (std::size_t m = 0; m < models_.size(); ++m) {
      if (accepts(state, entry.shape, ModelIndex(static_cast<std::uint16_t>(m)))) {
        models_[m].tasks.push_back(task);
      } else {
        models_[m].weight_of_others += task.weight;
      }
    }
  }
}

std::int64_t FragmentMeasure::of(ModelIndex model, CpuMilli cpu_free,
                                 std::span<const CardUnits> free) const {
  FreeList sorted(free.begin(), free.end());
  std::sort(sorted.begin(), sorted.end());
  FreeList below(sorted.size() + 1, 0);  // below[i] = sum of the i smallest
  for (std::size_t i = 0; i < sorted.size(); ++i) below[i + 1] = below[i] + sorted[i];
  const CardUnits idle = below.back();
  if (idle == 0 || model.is_none()) return 0;
  const OfModel& of_model = models_[model.value()];
  std::int64_t sum = of_model.weight_of_others * idle;
  for (const Task& task : of_model.tasks) {
    std::size_t first = 0;  // card with room
    while (first < sorted.size() && sorted[first] < task.per_card) ++first;
    const bool runs = task.cpu_milli <= cpu_free && sorted.size() - first >= task.cards;
    sum += task.weight * (runs ? below[first] : idle);
  }
  return sum;
}

std::int64_t gradient_score(std::int64_t weighted, std::int64_t weight) {
  // kLeastFall[k - 1] <= weighted / weight in the table's unit
  const __int128 fall = static_cast<__int128>(weighted) * kFallUnit;
  const __int128 scale = static_cast<__int128>(std::max<std::int64_t>(1, weight)) * kCardMilli;
  const auto reached = [&](std::int64_t least) { return fall >= scale * least; };
  return std::partition_point(kLeastFall.begin(), kLeastFall.end(), reached) - kLeastFall.begin();
}

void FragmentationGradient::refresh(const ClusterState& state) {
  if (fit_revision_ == state.fit_revision() && models_ == state.model_count()) return;
  fit_revision_ = state.fit_revision();
  models_ = state.model_count();
  measure_.reset();
  if (state.fit() == nullptr || state.fit()->mix.empty()) return;
  measure_ = std::make_unique<const FragmentMeasure>(state, *state.fit());
}

std::optional<CardChoice> FragmentationGradient::choose(const ClusterState& state, const Slot& slot,
                                                        const Shape& shape) const {
  const ModelIndex model = state.node_kind(slot.kind).model;
  if (measure_ == nullptr || model.is_none() || !asks_one_share(shape)) {
    return Score::choose(state, slot, shape);
  }
  return choose_cards(state, slot, shape, ShareCost(*measure_, model, slot, shape));
}

std::int64_t FragmentationGradient::of(const ClusterState& state, const Slot& slot,
                                       const Shape& shape, const CardChoice& choice) const {
  const ModelIndex model = state.node_kind(slot.kind).model;
  if (measure_ == nullptr || model.is_none()) return 0;
  if (asks_one_share(shape)) return choice.cost;
  const CpuMilli cpu_after = slot.cpu_free - shape.request.cpu_milli;
  const std::int64_t before = measure_->of(model, slot.cpu_free, free_of(slot.cards));
  const std::int64_t after = measure_->of(model, cpu_after, free_of(choice.after));
  return -gradient_score(before - after, measure_->total_weight());
}

CardGrants FragmentationGradient::grants_on(const ClusterState& state, NodeIndex node,
                                            const Shape& shape) const {
  const NodeRecord& record = state.node(node);
  Slot exact;  // the node's state with its cards in their own order
  exact.kind = record.kind;
  exact.cpu_free = record.cpu_free;
  exact.cards = record.cards;
  const auto choice = choose(state, exact, shape);
  BERTH_CHECK(choice.has_value());
  return choice->grants;
}

}  // namespace berth::engine

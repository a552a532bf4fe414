// Segments of a role: tasks that lie in one domain of the level that their rule names.
#include <algorithm>
#include <iterator>

#include "engine/placement/gang_search.h"

namespace berth::engine {

// Whole segments. Those that run in part first, as there is one domain for each; then the larger
// ones. Of a role that may start with fewer tasks the last one may be in part.
std::uint32_t GangSearch::fill_segments(DomainIndex scope) {
  const std::size_t before = place_.tasks.size();
  const auto placed = [&] { return static_cast<std::uint32_t>(place_.tasks.size() - before); };
  const std::vector<Segment> segments = segments_to_place(scope);
  std::span<const Segment> left = segments;
  for (; !left.empty() && !left.front().held.is_none(); left = left.subspan(1)) {
    if (place_segment(left.front().held, left.front())) continue;
    note_segment(left, scope);
    return placed();
  }
  left = pack_segments(left, scope);
  // a smaller one may fit where no larger one does any more
  while (!left.empty() && place_segment_anywhere(scope, left.front())) left = left.subspan(1);
  const std::uint32_t least = request_.needs[role_].least;
  if (left.empty() || placed() >= least) return placed();
  Segment part = left.front();
  part.tasks.resize(std::min<std::size_t>(part.tasks.size(), least - placed()));
  if (part.tasks.size() == left.front().tasks.size() || !place_segment_anywhere(scope, part)) {
    note_segment(left, scope);
  }
  return placed();
}

// All of them inside the lowest domain that holds them, else as many as go anywhere in the scope;
// those that are left over.
std::span<const GangSearch::Segment> GangSearch::pack_segments(std::span<const Segment> left,
                                                               DomainIndex scope) {
  if (left.size() < 2) return pack_segments_in(left, scope);
  std::size_t tasks = 0;
  for (const Segment& segment : left) tasks += segment.tasks.size();
  const std::uint32_t ranks = scope.is_none() ? UINT32_MAX : tree().domain(scope).rank;
  for (std::uint32_t rank = *segment_rank_ + 1; rank < ranks && !tree().of_rank(rank).empty();
       ++rank) {
    for (const DomainIndex domain : candidates(scope, rank, tasks)) {
      const Trial::Checkpoint start = trial_.checkpoint();
      const std::size_t before = place_.tasks.size();
      if (pack_segments_in(left, domain).empty()) return {};
      undo(start, before);
    }
  }
  return pack_segments_in(left, scope);
}

// Into as few domains as they can; those that are left over.
std::span<const GangSearch::Segment> GangSearch::pack_segments_in(std::span<const Segment> left,
                                                                  DomainIndex scope) {
  if (left.empty()) return left;
  std::vector<DomainIndex> domains = candidates(scope, *segment_rank_, left.front().tasks.size());
  while (!left.empty() && !domains.empty() && steps_ <= kMostSteps) {
    std::size_t rest = 0;
    for (const Segment& segment : left) rest += segment.tasks.size();
    // the tightest domain that holds all that is left, else the one with the most room
    const DomainRoom& rooms = room();
    auto chosen = std::find_if(domains.begin(), domains.end(),
                               [&](DomainIndex domain) { return rooms.in_domain(domain) >= rest; });
    if (chosen == domains.end()) chosen = std::prev(domains.end());
    const DomainIndex domain = *chosen;
    domains.erase(chosen);
    while (!left.empty() && place_segment(domain, left.front())) left = left.subspan(1);
  }
  return left;
}

// There is room for all that is left, but not for the next segment in one domain.
void GangSearch::note_segment(std::span<const Segment> left, DomainIndex scope) {
  const DomainRoom& rooms = room();
  std::size_t rest = 0;
  for (const Segment& segment : left) rest += segment.tasks.size();
  const Segment& next = left.front();
  const std::vector<DomainIndex> domains =
      next.held.is_none() ? domains_at(scope, *segment_rank_) : std::vector{next.held};
  std::uint64_t most = 0;
  for (const DomainIndex domain : domains) most = std::max(most, rooms.in_domain(domain));
  if (rooms.in_fleet() < rest || most >= next.tasks.size() || domains.empty()) return;
  shortfall_.why = Rejection{Rule::kTopology,
                             tree().domain(domains.front()).level,
                             {{"asked", static_cast<std::int64_t>(next.tasks.size())},
                              {"free", static_cast<std::int64_t>(most)},
                              {"fleet", static_cast<std::int64_t>(rooms.in_fleet())}}};
}

std::vector<GangSearch::Segment> GangSearch::segments_to_place(DomainIndex scope) const {
  const std::uint32_t size = request_.ask.roles[role_].segment_tasks;
  std::vector<Segment> segments;
  for (const std::uint32_t task : request_.needs[role_].tasks) {  // rising
    const std::uint32_t number = task / size;
    if (segments.empty() || segments.back().number != number) {
      segments.push_back({number, anchor_of_segment(number, scope), {}});
    }
    segments.back().tasks.push_back(task);
  }
  std::stable_sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) {
    if (a.held.is_none() != b.held.is_none()) return b.held.is_none();
    return a.tasks.size() > b.tasks.size();
  });
  return segments;
}

// The domain around what has a place of the segment: the scope where that is a part of it.
DomainIndex GangSearch::anchor_of_segment(std::uint32_t number, DomainIndex scope) const {
  const std::uint32_t size = request_.ask.roles[role_].segment_tasks;
  for (const Anchor& held : request_.anchors) {
    if (held.role != role_ || held.task / size != number) continue;
    const DomainIndex domain = tree().at_rank(tree().lowest(held.node), *segment_rank_);
    const bool is_part = !scope.is_none() && tree().at_rank(scope, *segment_rank_) == domain;
    return is_part ? scope : domain;
  }
  return DomainIndex::none();
}

bool GangSearch::place_segment(DomainIndex domain, const Segment& segment) {
  const Trial::Checkpoint start = trial_.checkpoint();
  const std::size_t before = place_.tasks.size();
  order_ = segment.tasks;
  next_ = 0;
  if (fill(domain, static_cast<std::uint32_t>(segment.tasks.size())) == segment.tasks.size()) {
    return true;
  }
  undo(start, before);
  return false;
}

bool GangSearch::place_segment_anywhere(DomainIndex scope, const Segment& segment) {
  const std::vector<DomainIndex> domains = candidates(scope, *segment_rank_, segment.tasks.size());
  return std::any_of(domains.begin(), domains.end(),
                     [&](DomainIndex domain) { return place_segment(domain, segment); });
}

}  // namespace berth::engine

#include "bench/mig/reference.h"

#include <algorithm>

namespace berth::bench::mig {

// Exact by counting. A card is a 7g, or a left half (slots 0 to 3) and a right half (4 to 7) that
// do not constrain each other. A 4g needs a left half; a 3g takes a right half first, which costs
// less. What is left are full pairs (a 2g, a double 1g or two 1g) and last pairs (slots 6 and 7: a
// double 1g or one 1g).
bool packs(const std::array<int, kKinds>& jobs, int cards) {
  const auto [small, wide, two, three, four, seven] = jobs;
  const int left_cards = cards - seven;
  if (left_cards < 0 || four > left_cards) return false;
  const int on_right = std::min(three, left_cards);
  const int left = left_cards - four - (three - on_right);
  const int right = left_cards - on_right;
  if (left < 0) return false;
  const int last_pairs = std::min(wide, right);  // a double 1g uses a last pair best
  const int full_pairs = 2 * left + right - two - (wide - last_pairs);
  return full_pairs >= 0 && small <= 2 * full_pairs + right - last_pairs;
}

Score run_free_migration(const Trace& trace, Size size) {
  std::array<int, kKinds> running{};
  std::vector<bool> accepted(trace.kind.size(), false);
  Score score;
  for (const std::int32_t event : trace.events) {
    const auto job = static_cast<std::size_t>(event < 0 ? ~event : event);
    int& same = running[trace.kind[job]];
    if (event < 0) {
      if (accepted[job]) --same;
      continue;
    }
    ++same;
    accepted[job] = packs(running, kCards);
    if (!accepted[job]) --same;
    score.note(trace, event, size, accepted[job]);
  }
  return score;
}

}  // namespace berth::bench::mig

#include "sim/report/consolidation_maps.h"

#include "sim/report/card_map.h"
#include "sim/report/format.h"
#include "sim/report/html_tables.h"
#include "sim/report/markup.h"

namespace berth::sim {
namespace {

std::string plural(double count, const std::string& noun) {
  return number_text(count,
                     count == static_cast<double>(static_cast<std::int64_t>(count)) ? 0 : 2) +
         " " + noun + (count == 1 ? "" : "s");
}

std::string caption(const ConsolidationNote& note) {
  return duration_text(static_cast<double>(note.at_ms)) + ": " + html_text(note.job) +
         " gets its room by moving " + plural(static_cast<double>(note.jobs), "job") + " with " +
         plural(note.moved_cards, "card") + "; price " + number_text(note.price, 2) +
         ", waiting on costs " + number_text(note.gain, 2);
}

}  // namespace

std::string consolidations_html(std::span<const RunResult> runs) {
  std::string html;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const ConsolidationNote& note : runs[i].consolidations) {
      html += "<figure class=\"panel\"><figcaption>";
      if (runs.size() > 1) html += run_chip(runs[i], i) + " ";
      html += caption(note) + "</figcaption>" + card_map_svg(note.nodes, note.before, note.after) +
              "</figure>\n";
    }
  }
  return html;
}

}  // namespace berth::sim

#include "sim/report/receipt_table.h"

#include <algorithm>
#include <cmath>

#include "sim/report/format.h"
#include "sim/report/html_tables.h"
#include "sim/report/markup.h"

namespace berth::sim {
namespace {

constexpr std::size_t kReceiptsInTable = 10;  // of each run
constexpr std::size_t kVictimsInRow = 3;

std::string cards_text(double cards) {
  return number_text(cards, cards == std::round(cards) ? 0 : 2) + (cards == 1 ? " card" : " cards");
}

std::string victim_html(const VictimNote& victim) {
  return "<span>" + html_text(victim.job) + "</span>: " + cards_text(victim.cards) + ", " +
         std::string(word(victim.grade)) + ", " +
         duration_text(static_cast<double>(victim.lost_ms)) + " of each";
}

std::string victims_html(const ReceiptNote& receipt) {
  if (receipt.victims.empty()) return "nobody: in room that is being given back";
  std::string html;
  const std::size_t shown = std::min(kVictimsInRow, receipt.victims.size());
  for (std::size_t i = 0; i < shown; ++i) {
    html += (i > 0 ? "<br>" : "") + victim_html(receipt.victims[i]);
  }
  const std::size_t more = receipt.victims.size() - shown;
  if (more > 0) html += "<br>and " + std::to_string(more) + " more";
  return html;
}

std::string cell(const std::string& content, std::string_view classes) {
  return "<td class=\"" + std::string(classes) + "\">" + content + "</td>";
}

std::string row_html(std::span<const RunResult> runs, std::size_t run, const ReceiptNote& receipt) {
  std::string html = "<tr>";
  if (runs.size() > 1) html += cell(run_chip(runs[run], run), "when");
  html += cell(duration_text(static_cast<double>(receipt.at_ms)), "when");
  html += "<th scope=\"row\">" + html_text(receipt.job) + "</th>";
  html += cell(std::string(word(receipt.right)), "when");
  html += cell(number_text(receipt.cards, receipt.cards == std::round(receipt.cards) ? 0 : 2),
               "counts");
  html += cell(number_text(receipt.price, 2), "counts");
  html += cell(receipt.gain > 0 ? number_text(receipt.gain, 2) : "–", "counts");
  html += cell(victims_html(receipt), "victims");
  return html + cell(std::string(word(receipt.outcome)), "when") + "</tr>\n";
}

}  // namespace

std::string receipts_html(std::span<const RunResult> runs) {
  std::string rows;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& receipts = runs[r].dearest_receipts;
    for (std::size_t i = 0; i < std::min(kReceiptsInTable, receipts.size()); ++i) {
      rows += row_html(runs, r, receipts[i]);
    }
  }
  if (rows.empty()) return {};
  std::string header;
  if (runs.size() > 1) header += "<th scope=\"col\">Policy</th>";
  header +=
      "<th scope=\"col\">At</th><th scope=\"col\">For</th><th scope=\"col\">By</th>"
      "<th scope=\"col\" class=\"counts\">Cards</th><th scope=\"col\" class=\"counts\">Price</th>"
      "<th scope=\"col\" class=\"counts\">Gain</th><th scope=\"col\">From</th>"
      "<th scope=\"col\">Came out</th>";
  return "<div class=\"scroll\"><table><caption>The dearest receipts</caption><thead><tr>" +
         header + "</tr></thead><tbody>\n" + rows + "</tbody></table></div>\n";
}

}  // namespace berth::sim

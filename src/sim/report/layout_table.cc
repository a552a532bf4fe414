#include "sim/report/layout_table.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/report/format.h"
#include "sim/report/html_tables.h"
#include "sim/report/markup.h"
#include "sim/report/svg.h"

namespace berth::sim {
namespace {

constexpr double kSlot = 20;
constexpr double kHeight = 18;
constexpr double kGap = 2;
constexpr std::size_t kColours = 6;

using Colours = std::map<std::string, std::size_t>;  // by profile

Colours colours_of(std::span<const RunResult> runs) {
  std::set<std::string> profiles;
  for (const RunResult& run : runs) {
    for (const LayoutUse& use : run.layouts) {
      for (const LayoutPiece& piece : use.pieces) profiles.insert(piece.profile);
    }
  }
  Colours colours;
  for (const std::string& profile : profiles) colours.emplace(profile, colours.size() % kColours);
  return colours;
}

using Counts = std::map<std::string, std::int64_t>;  // by profile

Counts counts_of(const LayoutUse& use) {
  Counts counts;
  for (const LayoutPiece& piece : use.pieces) ++counts[piece.profile];
  return counts;
}

// "4 x 1g.10gb, 1 x 3g.40gb"
std::string pieces_text(const LayoutUse& use) {
  std::string text;
  for (const auto& [profile, count] : counts_of(use)) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " + profile;
  }
  return text.empty() ? "no instances" : text;
}

// The same, each with its colour.
std::string pieces_html(const LayoutUse& use, const Colours& colours) {
  std::string html;
  for (const auto& [profile, count] : counts_of(use)) {
    html += (html.empty() ? "" : ", ") +
            ("<span class=\"swatch c" + std::to_string(colours.at(profile)) + "\"></span> ") +
            std::to_string(count) + " x " + html_text(profile);
  }
  return html.empty() ? "no instances" : html;
}

// The memory slots of a card from left to right.
std::string strip_svg(const LayoutUse& use, const Colours& colours) {
  Svg svg(kSlot * use.slots, kHeight, pieces_text(use));
  svg.rect(0, 0, kSlot * use.slots - kGap, kHeight, "map-cell", "not cut");
  for (const LayoutPiece& piece : use.pieces) {
    const std::string last = std::to_string(piece.start + piece.slots - 1);
    svg.rect(kSlot * piece.start, 0, kSlot * piece.slots - kGap, kHeight,
             "map-owned c" + std::to_string(colours.at(piece.profile)),
             piece.profile + ", memory slots " + std::to_string(piece.start) + " to " + last);
  }
  return svg.finish();
}

std::string cell(const std::string& content, std::string_view classes) {
  return "<td class=\"" + std::string(classes) + "\">" + content + "</td>";
}

std::string header(std::span<const RunResult> runs, std::string_view others) {
  const std::string policy = runs.size() > 1 ? "<th scope=\"col\">Policy</th>" : "";
  return "<thead><tr>" + policy + std::string(others) + "</tr></thead><tbody>\n";
}

std::string table(std::string_view caption, const std::string& header, const std::string& rows) {
  return "<div class=\"scroll\"><table><caption>" + std::string(caption) + "</caption>" + header +
         rows + "</tbody></table></div>\n";
}

std::string row_start(std::span<const RunResult> runs, std::size_t run) {
  return "<tr>" + (runs.size() > 1 ? cell(run_chip(runs[run], run), "when") : std::string());
}

std::string uses_html(std::span<const RunResult> runs) {
  const Colours colours = colours_of(runs);
  std::string rows;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const LayoutUse& use : runs[r].layouts) {
      const auto instances = static_cast<std::int64_t>(use.pieces.size()) * use.cards_after;
      rows += row_start(runs, r) + cell(strip_svg(use, colours), "when") + "<th scope=\"row\">" +
              pieces_html(use, colours) + "</th>" + cell(html_text(use.model), "when") +
              cell(count_text(use.cards_before), "counts") +
              cell(count_text(use.cards_after), "counts") +
              cell(count_text(use.used_after) + " of " + count_text(instances), "counts") +
              "</tr>\n";
    }
  }
  if (rows.empty()) return {};
  return table("Layouts of cards",
               header(runs,
                      "<th scope=\"col\">Slots</th><th scope=\"col\">Instances</th>"
                      "<th scope=\"col\">Model</th>"
                      "<th scope=\"col\" class=\"counts\">Cards at the start</th>"
                      "<th scope=\"col\" class=\"counts\">At the end</th>"
                      "<th scope=\"col\" class=\"counts\">Instances in use then</th>"),
               rows);
}

std::string changes_html(std::span<const RunResult> runs) {
  std::string rows;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const LayoutChangeNote& change : runs[r].layout_changes) {
      std::string outcome(word(change.outcome));
      if (!change.cause.empty()) outcome += ": " + change.cause;
      rows += row_start(runs, r) + cell(duration_text(static_cast<double>(change.at_ms)), "when") +
              "<th scope=\"row\">" + html_text(change.node + ":" + std::to_string(change.card)) +
              "</th>" + cell(html_text(change.before), "") + cell(html_text(change.after), "") +
              cell(duration_text(static_cast<double>(change.took_ms)), "counts") +
              cell(html_text(outcome), "") + "</tr>\n";
    }
  }
  if (rows.empty()) return {};
  return table("The last changes",
               header(runs,
                      "<th scope=\"col\">At</th><th scope=\"col\">Card</th>"
                      "<th scope=\"col\">From</th><th scope=\"col\">To</th>"
                      "<th scope=\"col\" class=\"counts\">Took</th>"
                      "<th scope=\"col\">Came out</th>"),
               rows);
}

}  // namespace

std::string layouts_html(std::span<const RunResult> runs) {
  const std::string uses = uses_html(runs);
  const std::string changes = changes_html(runs);
  std::string html;
  if (!uses.empty()) html += "<div class=\"panel\">" + uses + "</div>\n";
  if (!changes.empty()) html += "<div class=\"panel\">" + changes + "</div>\n";
  return html;
}

}  // namespace berth::sim

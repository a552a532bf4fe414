#include "sim/report/loss_charts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "sim/report/bar_chart.h"
#include "sim/report/format.h"
#include "sim/report/html_tables.h"
#include "sim/report/markup.h"
#include "sim/report/work_rows.h"

namespace berth::sim {
namespace {

constexpr std::size_t kBars = 72;

// A kind of part, and how much of it a step has.
struct Kind {
  BarPart part;
  std::function<double(const LossStep& step)> amount;
};

std::vector<Kind> loss_kinds() {
  std::vector<Kind> kinds;
  for (std::size_t i = 0; i < kInterruptionCount; ++i) {
    const auto cause = static_cast<Interruption>(i);
    kinds.push_back(
        {{"done again after " + interruption_text(cause), "w-" + std::string(word(cause))},
         [i](const LossStep& step) { return step.lost.recomputed[i]; }});
  }
  // what jobs save by themselves goes on all the time, and would hide the rest
  for (auto i = static_cast<std::size_t>(Spending::kCheckpointAsked); i < kSpendingCount; ++i) {
    const auto spending = static_cast<Spending>(i);
    kinds.push_back({{spending_text(spending), "w-" + std::string(word(spending))},
                     [i](const LossStep& step) { return step.lost.spent[i]; }});
  }
  return kinds;
}

// Evictions by grade; what failed by itself beside them.
std::vector<Kind> stop_kinds() {
  std::vector<Kind> kinds;
  for (std::size_t i = 0; i < kGradeCount; ++i) {
    const std::string grade(word(static_cast<ReclaimGrade>(i)));
    kinds.push_back({{"taken back by " + grade, "g-" + grade},
                     [i](const LossStep& step) { return static_cast<double>(step.evictions[i]); }});
  }
  for (std::size_t i = 0; i < kInterruptionCount; ++i) {
    const auto cause = static_cast<Interruption>(i);
    if (cause == Interruption::kEviction) continue;
    kinds.push_back(
        {{"stopped by " + interruption_text(cause), "w-" + std::string(word(cause))},
         [i](const LossStep& step) { return static_cast<double>(step.interruptions[i]); }});
  }
  return kinds;
}

// Those that some run has any of.
std::vector<Kind> present(std::span<const RunResult> runs, std::vector<Kind> kinds) {
  std::erase_if(kinds, [&](const Kind& kind) {
    return std::none_of(runs.begin(), runs.end(), [&](const RunResult& run) {
      return std::any_of(run.losses.begin(), run.losses.end(),
                         [&](const LossStep& step) { return kind.amount(step) > 0; });
    });
  });
  return kinds;
}

std::vector<std::vector<double>> bars_of(const RunResult& run, const std::vector<Kind>& kinds) {
  std::vector<std::vector<double>> bars(kBars, std::vector<double>(kinds.size(), 0.0));
  const DurationMs duration = std::max<DurationMs>(1, run.duration_ms);
  for (const LossStep& step : run.losses) {
    // a step ends where it stands
    const TimeMs at = std::clamp<TimeMs>(step.at_ms - 1, 0, duration - 1);
    auto& bar = bars[static_cast<std::size_t>(at * static_cast<TimeMs>(kBars) / duration)];
    for (std::size_t k = 0; k < kinds.size(); ++k) bar[k] += kinds[k].amount(step);
  }
  return bars;
}

double tallest(const std::vector<std::vector<double>>& bars) {
  double most = 0;
  for (const auto& bar : bars) most = std::max(most, std::accumulate(bar.begin(), bar.end(), 0.0));
  return most;
}

double total(const std::vector<std::vector<double>>& bars) {
  double sum = 0;
  for (const auto& bar : bars) sum = std::accumulate(bar.begin(), bar.end(), sum);
  return sum;
}

std::string legend_html(const std::vector<BarPart>& parts) {
  std::string html = "<p class=\"figure-causes\">";
  for (const BarPart& part : parts) {
    html += "<span><span class=\"swatch " + part.classes + "\"></span>" + html_text(part.label) +
            "</span>";
  }
  return html + "</p>";
}

std::string figure_html(std::string_view title, std::string_view unit, const std::string& chip,
                        const std::string& svg, const std::vector<BarPart>& parts) {
  return "<figure class=\"panel\"><figcaption><b>" + std::string(title) + "</b> <span>" +
         std::string(unit) + "</span>" + chip + "</figcaption><div class=\"picture\">" + svg +
         "</div>" + legend_html(parts) + "</figure>\n";
}

std::string chip_of(std::span<const RunResult> runs, std::size_t index) {
  if (runs.size() == 1) return {};
  return "<span class=\"legend\">" + run_chip(runs[index], index) + "</span>";
}

// Figures of one sort, one per run, on one scale.
struct Sort {
  std::string title;
  std::string unit;
  int decimals = 0;
  std::vector<Kind> kinds;
  std::string beside;  // what is left out
};

// "1 h" without its minutes.
std::string span_text(DurationMs span) {
  if (span >= kHourMs && span % kHourMs == 0) return std::to_string(span / kHourMs) + " h";
  return duration_text(static_cast<double>(span));
}

std::vector<std::string> figures(std::span<const RunResult> runs, const Sort& sort) {
  std::vector<std::vector<std::vector<double>>> bars;
  double most = 0;
  for (const RunResult& run : runs) {
    bars.push_back(bars_of(run, sort.kinds));
    most = std::max(most, tallest(bars.back()));
  }
  std::vector<BarPart> parts;
  for (const Kind& kind : sort.kinds) parts.push_back(kind.part);
  std::vector<std::string> htmls;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    BarChart chart;
    chart.label = sort.title + " under " + runs[r].policy + ", over time";
    chart.unit = sort.unit;
    chart.decimals = sort.decimals;
    chart.duration_ms = runs[r].duration_ms;
    chart.parts = parts;
    chart.bars = bars[r];
    chart.most = most;
    htmls.push_back(figure_html(
        sort.title,
        sort.unit + " in each " + span_text(runs[r].duration_ms / static_cast<DurationMs>(kBars)) +
            sort.beside + "; " + number_text(total(bars[r]), sort.decimals) + " in all",
        chip_of(runs, r), bar_chart_svg(chart), parts));
  }
  return htmls;
}

std::string victims_title(const ReceiptNote& receipt) {
  std::string text = receipt.victims.empty() ? "" : receipt.victims.front().job;
  if (receipt.victims.size() > 1) {
    text += " and " + std::to_string(receipt.victims.size() - 1) + " more";
  }
  return text;
}

std::string receipt_title(const ReceiptNote& receipt) {
  return duration_text(static_cast<double>(receipt.at_ms)) + ": " + receipt.job + " takes " +
         number_text(receipt.cards, receipt.cards == std::round(receipt.cards) ? 0 : 2) +
         (receipt.cards == 1 ? " card from " : " cards from ") + victims_title(receipt) +
         ", price " + number_text(receipt.price, 2) + " (" + std::string(word(receipt.right)) +
         ", " + std::string(word(receipt.outcome)) + ")";
}

// The dearest last, so that they lie on top.
std::vector<Stem> stems_of(const RunResult& run, double dearest) {
  std::vector<Stem> stems;
  for (const ReceiptNote& receipt : run.dearest_receipts) {
    if (receipt.victims.empty()) continue;
    stems.push_back({receipt.at_ms, receipt.cards, dearest > 0 ? receipt.price / dearest : 0,
                     "t-" + std::string(word(receipt.right)), receipt_title(receipt)});
  }
  std::reverse(stems.begin(), stems.end());
  return stems;
}

std::vector<BarPart> rights_of(std::span<const RunResult> runs) {
  std::vector<BarPart> parts;
  for (std::size_t i = 0; i < words_of<ReclaimRight>().size(); ++i) {
    const auto right = static_cast<ReclaimRight>(i);
    const bool used = std::any_of(runs.begin(), runs.end(), [&](const RunResult& run) {
      return std::any_of(run.dearest_receipts.begin(), run.dearest_receipts.end(),
                         [&](const ReceiptNote& receipt) {
                           return receipt.right == right && !receipt.victims.empty();
                         });
    });
    if (used) parts.push_back({"by " + std::string(word(right)), "t-" + std::string(word(right))});
  }
  return parts;
}

// Receipts that take nothing, but promise room that is coming free, are counted and not drawn.
std::string shown_text(const RunResult& run) {
  const auto kept = static_cast<std::int64_t>(run.dearest_receipts.size());
  const auto shown = static_cast<std::int64_t>(
      std::count_if(run.dearest_receipts.begin(), run.dearest_receipts.end(),
                    [](const ReceiptNote& receipt) { return !receipt.victims.empty(); }));
  const std::string beside =
      shown == kept ? "" : ", " + count_text(kept - shown) + " more that take nothing";
  if (kept == run.receipts) {
    return count_text(shown) + (shown == 1 ? " receipt" : " receipts") + beside;
  }
  return "the dearest " + count_text(shown) + " of " + count_text(run.receipts) + " receipts" +
         beside;
}

}  // namespace

std::string loss_charts_html(std::span<const RunResult> runs) {
  const Sort losses{"Lost by cause", "GPU-hours", 2, present(runs, loss_kinds()),
                    ", checkpoints of their own apart"};
  const Sort stops{"Jobs stopped or taken back", "jobs", 0, present(runs, stop_kinds()), ""};
  std::vector<std::vector<std::string>> columns;
  for (const Sort& sort : {losses, stops}) {
    if (!sort.kinds.empty()) columns.push_back(figures(runs, sort));
  }
  if (columns.empty()) return {};
  std::string html = "<div class=\"grid two\">";
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const auto& column : columns) html += column[r];
  }
  return html + "</div>\n";
}

std::string receipt_charts_html(std::span<const RunResult> runs) {
  double dearest = 0;
  double most = 0;
  for (const RunResult& run : runs) {
    for (const ReceiptNote& receipt : run.dearest_receipts) {
      dearest = std::max(dearest, receipt.price);
      most = std::max(most, receipt.cards);
    }
  }
  if (most <= 0) return {};
  std::string html;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].dearest_receipts.empty()) continue;
    StemChart chart;
    chart.label = "Receipts under " + runs[r].policy + " by the cards that they took, over time";
    chart.unit = "cards";
    chart.duration_ms = runs[r].duration_ms;
    chart.stems = stems_of(runs[r], dearest);
    chart.most = most;
    html += figure_html("Cards taken back", shown_text(runs[r]) + ", dots by price",
                        chip_of(runs, r), stem_chart_svg(chart), rights_of(runs));
  }
  return html;
}

}  // namespace berth::sim

#include "sim/report/html.h"

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "sim/report/assets.h"
#include "sim/report/consolidation_maps.h"
#include "sim/report/format.h"
#include "sim/report/html_tables.h"
#include "sim/report/layout_table.h"
#include "sim/report/loss_charts.h"
#include "sim/report/markup.h"
#include "sim/report/page_data.h"
#include "sim/report/receipt_table.h"

namespace berth::sim {
namespace {

// Nothing may be loaded, sent or framed, whatever a name in the data tries.
constexpr std::string_view kSecurityPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'";

constexpr std::string_view kMark =
    "<svg class=\"mark\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M3 4h5v12H3zM9.5 "
    "8h5v8h-5zM16 4h5v12h-5z\"/><path d=\"M2 18h20v2.5H2z\"/></svg>";

std::string title_text(std::span<const RunResult> runs) {
  std::string policies;
  for (const RunResult& run : runs) policies += (policies.empty() ? "" : " vs ") + run.policy;
  return runs.front().name + ": " + policies;
}

std::string head_html(std::span<const RunResult> runs) {
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += "<meta http-equiv=\"Content-Security-Policy\" content=\"" + std::string(kSecurityPolicy) +
          "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
          "<meta name=\"color-scheme\" content=\"light dark\">\n";
  html += "<title>" + html_text(title_text(runs)) + "</title>\n<style>\n";
  html += kStyleCss;
  html += kTableCss;
  html += kChartCss;
  return html + "</style>\n</head>\n";
}

std::string fact_html(const std::string& value, std::string_view name) {
  return "<li><b>" + html_text(value) + "</b> " + std::string(name) + "</li>";
}

std::string header_html(std::span<const RunResult> runs) {
  const RunResult& run = runs.front();
  std::string html = "<header>\n<div class=\"brand\">" + std::string(kMark) +
                     "<span>Berth simulation report</span>"
                     "<button id=\"theme\" type=\"button\" hidden>Dark</button></div>\n";
  html += "<h1>" + html_text(run.name) + "</h1>\n<ul class=\"facts\">";
  html += fact_html(count_text(run.fleet.cards), "cards");
  html += fact_html(count_text(run.fleet.nodes), "nodes");
  html += fact_html(count_text(run.jobs.submitted), "jobs submitted");
  html += fact_html(duration_text(static_cast<double>(run.duration_ms)), "of virtual time");
  html += "<li>seed <b>" + std::to_string(run.seed) + "</b></li></ul>\n<p class=\"runs\">";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    html += run_chip(runs[i], i);
    if (i == 0 && runs.size() > 1) html += "<span class=\"role\">reference</span>";
  }
  return html + "</p>\n</header>\n";
}

std::string section_start(std::string_view title, std::string_view lead) {
  return "<section>\n<h2>" + std::string(title) + "</h2>\n<p class=\"lead\">" + std::string(lead) +
         "</p>\n";
}

// An empty place that the script fills; `kind` says with what.
std::string plot_html(std::string_view kind, std::string_view caption, std::string_view unit) {
  return "<figure class=\"panel\"><figcaption><b>" + std::string(caption) + "</b> <span>" +
         std::string(unit) + "</span></figcaption><div class=\"plot\" data-plot=\"" +
         std::string(kind) + "\"></div></figure>\n";
}

bool any_sample(std::span<const RunResult> runs, bool (*holds)(const Sample&)) {
  return std::any_of(runs.begin(), runs.end(), [&](const RunResult& run) {
    return std::any_of(run.samples.begin(), run.samples.end(), holds);
  });
}

// Room that is kept, and gangs that wait for a better place, where there are any.
std::string holds_html(std::span<const RunResult> runs) {
  std::string html;
  if (any_sample(runs, [](const Sample& sample) { return sample.kept_cards > 0; })) {
    html += plot_html("kept", "Free cards kept for a job that waits", "cards");
  }
  if (any_sample(runs, [](const Sample& sample) { return sample.deferring_jobs > 0; })) {
    html += plot_html("deferring", "Gangs that wait for a place in fewer domains", "jobs");
  }
  return html.empty() ? html : "<div class=\"grid two\">" + html + "</div>\n";
}

// A chart per model; with one model it would say the same again.
std::string models_plot_html(std::span<const RunResult> runs) {
  const bool several = std::any_of(
      runs.begin(), runs.end(), [](const RunResult& run) { return run.fleet.models.size() > 1; });
  return several ? "<div class=\"grid three\" data-plot=\"models\"></div>\n" : "";
}

std::string over_time_html(std::span<const RunResult> runs) {
  return section_start("Allocation over time",
                       "How much of the fleet is leased. A share of a card counts as that share.") +
         plot_html("allocated", "Cards allocated", "% of all cards") + models_plot_html(runs) +
         "</section>\n" +
         section_start("Waiting over time",
                       "What waits for a place: cards asked for by jobs that have not started.") +
         "<div class=\"grid two\">" + plot_html("waiting", "Cards waited for", "cards") +
         plot_html("pending", "Jobs waiting", "jobs") + "</div>\n" + holds_html(runs) +
         "</section>\n";
}

std::string fragmentation_html(std::span<const RunResult> runs) {
  std::string html = section_start(
      "Free, but of no use",
      "Capacity that is free and yet cannot serve what is typically asked for, by the reason why. "
      "The dotted line is everything that is free; where that is beyond the scale it runs along "
      "the "
      "upper edge.");
  html += causes_legend_html(runs);
  html += "<div class=\"grid two\" data-plot=\"causes\"></div>\n";
  return html + "<div class=\"panel\">" + causes_html(runs) + "</div>\n</section>\n";
}

std::string waits_html(std::span<const RunResult> runs) {
  return section_start("How long jobs wait",
                       "From submission to first start. Jobs that still wait at the end count with "
                       "the time they have waited so far.") +
         plot_html("waits", "Jobs that waited at most", "% of accepted jobs") +
         "<div class=\"panel\">" + groups_html(runs, &RunResult::classes, "By class") +
         "</div>\n<div class=\"panel\">" + groups_html(runs, &RunResult::sizes, "By size") +
         "</div>\n</section>\n";
}

bool any_queues(std::span<const RunResult> runs) { return !runs.front().queues.empty(); }

std::string queues_html(std::span<const RunResult> runs) {
  if (!any_queues(runs)) return {};
  return section_start(
             "What queues hold",
             "Cards held by each queue and all below it; the dotted line is its "
             "guarantee. A fair share is what guarantees, weights and the demand of the "
             "moment entitle it to, all cards counted alike. The charts share one scale.") +
         "<div class=\"grid three\" data-plot=\"queues\"></div>\n<div class=\"panel\">" +
         queue_shares_html(runs) + "</div>\n</section>\n";
}

std::string gangs_html(std::span<const RunResult> runs) {
  const std::string table = gang_spreads_html(runs);
  if (table.empty()) return {};
  return section_start("Where gangs start",
                       "Jobs that start on more than one node, and over how many of the lowest "
                       "domains, such as leaf switches, they are spread.") +
         "<div class=\"panel\">" + table + "</div>\n</section>\n";
}

std::string losses_html(std::span<const RunResult> runs) {
  const std::string tables = work_html(runs);
  if (tables.empty()) return {};
  return section_start("What leased time was spent on",
                       "Work counts once it is kept: what was done since the last checkpoint and "
                       "had to be done again stands under its cause. All rows together are what "
                       "was leased.") +
         loss_charts_html(runs) + "<div class=\"panel\">" + tables + "</div>\n</section>\n";
}

std::string taken_html(std::span<const RunResult> runs) {
  const std::string charts = receipt_charts_html(runs);
  const std::string table = receipts_html(runs);
  if (charts.empty() && table.empty()) return {};
  return section_start(
             "What was taken back",
             "Each receipt takes cards from running jobs for one that waits, at the price "
             "of what those lose. A price is in the money of the policy; where it sets "
             "none, in GPU-hours x class weight.") +
         charts + (table.empty() ? "" : "<div class=\"panel\">" + table + "</div>\n") +
         "</section>\n";
}

std::string moves_html(std::span<const RunResult> runs) {
  const std::string maps = consolidations_html(runs);
  if (maps.empty()) return {};
  return section_start("What was moved",
                       "Room that was free in pieces, joined by moving what was in the way: the "
                       "consolidations that made most room, as planned. One cell is one card, one "
                       "column is one node; what is outlined moves.") +
         maps + "</section>\n";
}

std::string cuts_html(std::span<const RunResult> runs) {
  const std::string tables = layouts_html(runs);
  if (tables.empty()) return {};
  return section_start("How cards are cut",
                       "MIG layouts of cards that are cut in advance. A picture shows the memory "
                       "slots of one card. A change counts once its node has read it back; one "
                       "that fails is rolled back.") +
         tables + "</section>\n";
}

std::string shares_html(std::span<const RunResult> runs) {
  return section_start("Who used what", "Bars share one scale per column.") +
         "<div class=\"panel\">" + groups_html(runs, &RunResult::teams, "By team") +
         "</div>\n<div class=\"panel\">" + models_html(runs) + "</div>\n</section>\n";
}

std::string fleet_html() {
  return section_start("The fleet at the end",
                       "One cell is one card, one column of cells is one node. The height of the "
                       "colour is the allocated share.") +
         "<div data-plot=\"fleet\"></div>\n</section>\n";
}

std::string footer_html(std::span<const RunResult> runs) {
  std::string html =
      "<footer>\n<p>The same workload, policy and seed give the same state, event by "
      "event:</p>\n<ul>";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    html += "<li>" + run_chip(runs[i], i) + " seed " + std::to_string(runs[i].seed) + ", " +
            count_text(static_cast<std::int64_t>(runs[i].events_applied)) +
            " events, state <code>" + hash_text(runs[i].state_hash) + "</code></li>";
  }
  html += "</ul>\n";
  for (const RunResult& run : runs) {
    if (run.first_refusal.empty()) continue;
    html += "<p>" + html_text(run.policy) + " refused " + count_text(run.jobs.refused) +
            " jobs; the first: " + html_text(run.first_refusal) + "</p>\n";
  }
  for (const RunResult& run : runs) {
    for (const std::string& warning : run.warnings) {
      html += "<p>" + html_text(run.policy) + " warns: " + html_text(warning) + "</p>\n";
    }
  }
  return html + "</footer>\n";
}

std::string script_html(std::span<const RunResult> runs) {
  std::string html = "<script type=\"application/json\" id=\"berth-data\">" +
                     json_for_script(page_data(runs)) + "</script>\n<script>\n'use strict';\n";
  html += kCoreJs;
  html += kChartsJs;
  html += kFleetJs;
  return html + "</script>\n";
}

}  // namespace

std::string html_report(std::span<const RunResult> runs) {
  BERTH_CHECK(!runs.empty());
  std::string html = head_html(runs);
  html += runs.size() == 1 ? "<body class=\"single\">\n" : "<body>\n";
  html += header_html(runs) + "<main>\n" + tiles_html(runs);
  html +=
      "<noscript><p class=\"lead\">The charts need scripts; the tables do not.</p></noscript>\n";
  html += over_time_html(runs) + queues_html(runs) + fragmentation_html(runs) + waits_html(runs) +
          gangs_html(runs) + losses_html(runs) + taken_html(runs) + moves_html(runs) +
          cuts_html(runs) + shares_html(runs) + fleet_html();
  html += "</main>\n" + footer_html(runs) + "<div id=\"readout\" hidden></div>\n";
  return html + script_html(runs) + "</body>\n</html>\n";
}

}  // namespace berth::sim

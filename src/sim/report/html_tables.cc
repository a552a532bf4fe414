#include "sim/report/html_tables.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sim/report/format.h"
#include "sim/report/markup.h"
#include "sim/report/metrics.h"
#include "sim/report/work_rows.h"

namespace berth::sim {
namespace {

constexpr std::size_t kTiles = 8;
constexpr std::size_t kRunColours = 6;

std::string run_class(std::size_t index) { return "r" + std::to_string(index % kRunColours); }

// What a metric says, for the small print of its tile.
std::string_view explanation(std::string_view metric) {
  constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
      {"allocated_share", "of all cards, mean over the run"},
      {"unschedulable_share", "of all cards, mean over the run"},
      {"waiting_cards_mean", "by waiting jobs, mean over the run"},
      {"used_gpu_hours", "cards or shares of cards times hours leased"},
      {"wait_mean_ms", "from submission to first start"},
      {"wait_p99_ms", "one job in a hundred waits longer"},
      {"jobs_finished", "within the virtual time of the run"},
      {"jobs_waiting", "accepted, but never started"},
  };
  for (const auto& [name, text] : kTexts) {
    if (name == metric) return text;
  }
  return {};
}

std::string_view verdict_class(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSame:
      return "same";
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kNeutral:
      return "neutral";
  }
  return {};
}

std::string difference_html(const Difference& difference) {
  std::string arrow;
  if (difference.verdict != Verdict::kSame) {
    arrow =
        difference.value > 0 ? "<i aria-hidden=\"true\">▲</i> " : "<i aria-hidden=\"true\">▼</i> ";
  }
  const std::string verdict(verdict_class(difference.verdict));
  return "<span class=\"delta " + verdict + "\" title=\"" +
         (verdict == "same" ? "no difference" : verdict) + ", against the first run\">" + arrow +
         html_text(difference.text) + "</span>";
}

std::string tile_html(const Metric& metric, std::span<const RunResult> runs) {
  std::string html = "<div class=\"tile\"><h3>" + html_text(metric.label) + "</h3>";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    html += "<p class=\"figure\">";
    if (runs.size() > 1) html += run_chip(runs[i], i);
    html += "<b>" + html_text(value_text(metric.unit, metric.values[i])) + "</b>";
    html += "</p>";
    if (i > 0) html += "<p class=\"figure\">" + difference_html(difference(metric, i)) + "</p>";
  }
  return html + "<p class=\"note\">" + html_text(explanation(metric.name)) + "</p></div>\n";
}

// A column of bars: one number per run and row, with its text.
struct BarColumn {
  std::string title;
  Unit unit;
  double (*value)(const JobGroup&);
};

const BarColumn kGroupColumns[] = {
    {"GPU-hours", Unit::kGpuHours, [](const JobGroup& group) { return group.gpu_hours; }},
    {"Wait, mean", Unit::kDurationMs, [](const JobGroup& group) { return group.wait.mean_ms; }},
    {"Wait, 99th percentile", Unit::kDurationMs,
     [](const JobGroup& group) { return static_cast<double>(group.wait.p99_ms); }},
};

// `kind` are more classes of the bar, each after a blank.
std::string bar_html(std::size_t run, double value, double most, const std::string& text,
                     const std::string& kind = {}) {
  const double percent = most > 0 ? 100 * std::clamp(value / most, 0.0, 1.0) : 0;
  return "<div class=\"bar " + run_class(run) + kind +
         "\"><span class=\"track\"><span style=\"width:" + plain_number(percent, 2) +
         "%\"></span></span><span class=\"value\">" + html_text(text) + "</span></div>";
}

std::string counts_html(std::size_t run, std::int64_t value) {
  return "<div class=\"count " + run_class(run) + "\">" + count_text(value) + "</div>";
}

template <typename Item>
const Item* find_named(const std::vector<Item>& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

// Names of the groups of all runs in the order of first appearance, without those of no job.
std::vector<std::string> group_names(std::span<const RunResult> runs, JobGroups groups) {
  std::vector<std::string> names;
  for (const RunResult& run : runs) {
    for (const JobGroup& group : run.*groups) {
      if (group.jobs.submitted == 0 && group.gpu_hours == 0) continue;
      if (std::find(names.begin(), names.end(), group.name) == names.end()) {
        names.push_back(group.name);
      }
    }
  }
  return names;
}

// The groups called `name`, one per run; an empty one where a run lacks it.
std::vector<JobGroup> groups_named(std::span<const RunResult> runs, JobGroups groups,
                                   const std::string& name) {
  std::vector<JobGroup> row;
  for (const RunResult& run : runs) {
    const JobGroup* found = find_named(run.*groups, name);
    row.push_back(found == nullptr ? JobGroup{name, {}, {}, 0} : *found);
  }
  return row;
}

double largest_value(std::span<const std::vector<JobGroup>> rows, const BarColumn& column) {
  double most = 0;
  for (const std::vector<JobGroup>& row : rows) {
    for (const JobGroup& group : row) most = std::max(most, column.value(group));
  }
  return most;
}

std::string cell_html(const std::string& content, std::string_view kind) {
  return "<td class=\"" + std::string(kind) + "\">" + content + "</td>";
}

// One number where all runs agree, else one per run.
std::string counts_cell(const std::vector<JobGroup>& row, std::int64_t (*value)(const JobGroup&)) {
  const bool is_same = std::all_of(row.begin(), row.end(), [&](const JobGroup& group) {
    return value(group) == value(row.front());
  });
  if (is_same) return cell_html(count_text(value(row.front())), "counts");
  std::string counts;
  for (std::size_t i = 0; i < row.size(); ++i) counts += counts_html(i, value(row[i]));
  return cell_html(counts, "counts");
}

std::string group_row_html(const std::vector<JobGroup>& row,
                           std::span<const std::vector<JobGroup>> rows) {
  std::string html = "<tr><th scope=\"row\">" + html_text(row.front().name) + "</th>";
  html += counts_cell(row, [](const JobGroup& group) { return group.jobs.submitted; });
  for (const BarColumn& column : kGroupColumns) {
    std::string bars;
    const double most = largest_value(rows, column);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double value = column.value(row[i]);
      bars += bar_html(i, value, most, value_text(column.unit, value));
    }
    html += cell_html(bars, "bars");
  }
  html += counts_cell(row, [](const JobGroup& group) { return group.jobs.waiting; });
  return html + "</tr>\n";
}

std::string table_html(std::string_view caption, std::string_view header, const std::string& rows) {
  return "<div class=\"scroll\"><table><caption>" + html_text(caption) + "</caption><thead><tr>" +
         std::string(header) + "</tr></thead><tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string mean_cards_html(std::size_t index, const RunResult& run, double share) {
  return "<div class=\"count " + run_class(index) + "\">" +
         number_text(share * static_cast<double>(run.fleet.cards), 1) + "</div>";
}

double share_of(const ModelUse& use) {
  return use.capacity_gpu_hours > 0 ? use.used_gpu_hours / use.capacity_gpu_hours : 0;
}

std::string model_row_html(std::span<const RunResult> runs, std::size_t model) {
  const FleetModel& fleet = runs.front().fleet.models[model];
  std::string shares;
  std::string hours;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const ModelUse& use : runs[i].models) {
      if (use.model != fleet.model) continue;
      shares += bar_html(i, share_of(use), 1, percent_text(share_of(use), 1));
      hours += "<div class=\"count " + run_class(i) + "\">" +
               value_text(Unit::kGpuHours, use.used_gpu_hours) + "</div>";
    }
  }
  return "<tr><th scope=\"row\">" + html_text(fleet.model) + "</th>" +
         cell_html(count_text(fleet.nodes), "counts") +
         cell_html(count_text(fleet.cards), "counts") + cell_html(shares, "bars wide") +
         cell_html(hours, "counts") + "</tr>\n";
}

// One row per label with a bar for each run.
std::string hours_table_html(std::string_view caption, std::string_view title,
                             const std::vector<WorkRow>& rows) {
  double most = 0;
  for (const WorkRow& row : rows) {
    most = std::max(most, *std::max_element(row.hours.begin(), row.hours.end()));
  }
  std::string body;
  for (const WorkRow& row : rows) {
    std::string bars;
    for (std::size_t i = 0; i < row.hours.size(); ++i) {
      bars += bar_html(i, row.hours[i], most, value_text(Unit::kGpuHours, row.hours[i]));
    }
    body += "<tr><th scope=\"row\">" + html_text(row.label) + "</th>" +
            cell_html(bars, "bars wide") + "</tr>\n";
  }
  if (body.empty()) return {};
  return table_html(caption,
                    "<th scope=\"col\">" + std::string(title) +
                        "</th><th scope=\"col\" class=\"bars wide\">GPU-hours</th>",
                    body);
}

std::string hits_table_html(const std::vector<HitRow>& rows) {
  std::string body;
  for (const HitRow& row : rows) {
    std::string counts;
    for (std::size_t i = 0; i < row.jobs.size(); ++i) counts += counts_html(i, row.jobs[i]);
    body += "<tr><th scope=\"row\">" + html_text(row.label) + "</th>" +
            cell_html(counts, "counts") + "</tr>\n";
  }
  if (body.empty()) return {};
  return table_html("Jobs that were interrupted or taken back, each time",
                    "<th scope=\"col\">How</th><th scope=\"col\" class=\"counts\">Jobs</th>", body);
}

}  // namespace

std::string work_html(std::span<const RunResult> runs) {
  if (!shows_work(runs)) return {};
  return hours_table_html("What leases were spent on", "Spent on", work_rows(runs)) +
         hits_table_html(hit_rows(runs)) +
         hours_table_html("Lost by team", "Team", team_loss_rows(runs));
}

std::string run_chip(const RunResult& run, std::size_t index) {
  return "<span class=\"chip " + run_class(index) + "\">" + html_text(run.policy) + "</span>";
}

std::string tiles_html(std::span<const RunResult> runs) {
  std::string html = "<div class=\"tiles\">\n";
  const std::vector<Metric> metrics = headline(runs);
  for (std::size_t i = 0; i < std::min(kTiles, metrics.size()); ++i) {
    html += tile_html(metrics[i], runs);
  }
  return html + "</div>\n";
}

std::string groups_html(std::span<const RunResult> runs, JobGroups groups,
                        std::string_view caption) {
  std::vector<std::vector<JobGroup>> rows;
  for (const std::string& name : group_names(runs, groups)) {
    rows.push_back(groups_named(runs, groups, name));
  }
  if (rows.empty()) return {};
  std::string body;
  for (const std::vector<JobGroup>& row : rows) body += group_row_html(row, rows);
  std::string header =
      "<th scope=\"col\"><span class=\"sr\">Name</span></th><th scope=\"col\" "
      "class=\"counts\">Jobs</th>";
  for (const BarColumn& column : kGroupColumns) {
    header += "<th scope=\"col\" class=\"bars\">" + column.title + "</th>";
  }
  header += "<th scope=\"col\" class=\"counts\">Waiting at the end</th>";
  return table_html(caption, header, body);
}

std::string models_html(std::span<const RunResult> runs) {
  std::string body;
  for (std::size_t i = 0; i < runs.front().fleet.models.size(); ++i) {
    body += model_row_html(runs, i);
  }
  return table_html("By GPU model",
                    "<th scope=\"col\"><span class=\"sr\">Model</span></th>"
                    "<th scope=\"col\" class=\"counts\">Nodes</th>"
                    "<th scope=\"col\" class=\"counts\">Cards</th>"
                    "<th scope=\"col\" class=\"bars wide\">Allocated, mean</th>"
                    "<th scope=\"col\" class=\"counts\">GPU-hours</th>",
                    body);
}

std::string queue_shares_html(std::span<const RunResult> runs) {
  double most = 0;
  for (const RunResult& run : runs) {
    for (const QueueShare& share : run.queues) {
      most = std::max({most, share.held_cards, share.fair_cards});
    }
  }
  std::string body;
  for (const QueueShare& queue : runs.front().queues) {
    std::string fair;
    std::string held;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const QueueShare* share = find_named(runs[i].queues, queue.name);
      if (share == nullptr) continue;
      fair += bar_html(i, share->fair_cards, most, number_text(share->fair_cards, 1));
      held += bar_html(i, share->held_cards, most, number_text(share->held_cards, 1));
    }
    body += "<tr><th scope=\"row\">" + html_text(queue.name) + "</th>" +
            cell_html(number_text(queue.guarantee_cards, 1), "counts") + cell_html(fair, "bars") +
            cell_html(held, "bars") + "</tr>\n";
  }
  if (body.empty()) return {};
  return table_html("Cards, mean over the run",
                    "<th scope=\"col\"><span class=\"sr\">Queue</span></th>"
                    "<th scope=\"col\" class=\"counts\">Guaranteed</th>"
                    "<th scope=\"col\" class=\"bars\">Fair share</th>"
                    "<th scope=\"col\" class=\"bars\">Held</th>",
                    body);
}

std::string gang_spreads_html(std::span<const RunResult> runs) {
  std::vector<std::string> names;
  for (const RunResult& run : runs) {
    for (const GangSpread& group : run.gangs) {
      if (std::find(names.begin(), names.end(), group.name) == names.end()) {
        names.push_back(group.name);
      }
    }
  }
  std::string body;
  for (const std::string& name : names) {
    std::string gangs;
    std::string in_one;
    std::string domains;
    std::string least;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const GangSpread* group = find_named(runs[i].gangs, name);
      if (group == nullptr) continue;
      const double part = static_cast<double>(group->in_one) / static_cast<double>(group->gangs);
      gangs += counts_html(i, group->gangs);
      in_one += bar_html(i, part, 1, percent_text(part, 1));
      domains += bar_html(i, group->least, group->domains, number_text(group->domains, 2));
      least +=
          "<div class=\"count " + run_class(i) + "\">" + number_text(group->least, 2) + "</div>";
    }
    body += "<tr><th scope=\"row\">" + html_text(name) + "</th>" + cell_html(gangs, "counts") +
            cell_html(in_one, "bars") + cell_html(domains, "bars") + cell_html(least, "counts") +
            "</tr>\n";
  }
  if (body.empty()) return {};
  return table_html("By number of nodes",
                    "<th scope=\"col\"><span class=\"sr\">Nodes</span></th>"
                    "<th scope=\"col\" class=\"counts\">Gangs</th>"
                    "<th scope=\"col\" class=\"bars\">In one domain</th>"
                    "<th scope=\"col\" class=\"bars\">Domains, mean (bar: of these, needed)</th>"
                    "<th scope=\"col\" class=\"counts\">Fewest possible</th>",
                    body);
}

namespace {

// Whether any run has it; rows of zeros say nothing.
bool has_cause(std::span<const RunResult> runs, std::size_t cause) {
  return std::any_of(runs.begin(), runs.end(), [&](const RunResult& run) {
    return unschedulable_share_by_cause(run)[cause] > 0;
  });
}

}  // namespace

std::string causes_legend_html(std::span<const RunResult> runs) {
  std::string html = "<p class=\"causes\">";
  for (std::size_t cause = 0; cause < kCauseCount; ++cause) {
    if (!has_cause(runs, cause)) continue;
    html += "<span><span class=\"swatch c" + std::to_string(cause) + "\"></span>" +
            html_text(cause_label(static_cast<Cause>(cause))) + "</span>";
  }
  return html + "<span class=\"free-key\">everything free</span></p>\n";
}

std::string causes_html(std::span<const RunResult> runs) {
  double most = 0;
  for (const RunResult& run : runs) {
    for (const double share : unschedulable_share_by_cause(run)) most = std::max(most, share);
  }
  std::string body;
  for (std::size_t cause = 0; cause < kCauseCount; ++cause) {
    if (!has_cause(runs, cause)) continue;
    std::string bars;
    std::string cards;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const double share = unschedulable_share_by_cause(runs[i])[cause];
      bars += bar_html(i, share, most, percent_text(share, 2), " cause c" + std::to_string(cause));
      cards += mean_cards_html(i, runs[i], share);
    }
    body += "<tr><th scope=\"row\"><span class=\"swatch c" + std::to_string(cause) + "\"></span>" +
            html_text(cause_label(static_cast<Cause>(cause))) + "</th>" +
            cell_html(bars, "bars wide") + cell_html(cards, "counts") + "</tr>\n";
  }
  std::string total;
  std::string total_cards;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double share = unschedulable_share(runs[i]);
    total += "<div class=\"count " + run_class(i) + "\">" + percent_text(share, 2) + "</div>";
    total_cards += mean_cards_html(i, runs[i], share);
  }
  body += "<tr class=\"total\"><th scope=\"row\">all causes</th>" + cell_html(total, "counts") +
          cell_html(total_cards, "counts") + "</tr>\n";
  return table_html("By cause, mean over the run",
                    "<th scope=\"col\"><span class=\"sr\">Cause</span></th>"
                    "<th scope=\"col\" class=\"bars wide\">Share of all cards</th>"
                    "<th scope=\"col\" class=\"counts\">Cards</th>",
                    body);
}

}  // namespace berth::sim

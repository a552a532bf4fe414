#include "sim/report/page_data.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "codec/document.h"
#include "codec/writer.h"
#include "sim/report/format.h"
#include "sim/report/metrics.h"

namespace berth::sim {
namespace {

using codec::Document;

constexpr int kDecimals = 2;
constexpr std::size_t kMostWaitPoints = 400;

// Whole numbers as such: half of the page's bytes are numbers.
Document number(double value) {
  std::string text = plain_number(value, kDecimals);
  if (text.empty()) return {};
  if (text.find('.') != std::string::npos) return Document::decimal(std::move(text));
  return std::abs(value) < 1e15 ? Document::integer(std::llround(value)) : Document();
}

Document text(std::string_view value) { return Document::string(std::string(value)); }

Document percent(double share) { return Document::integer(std::llround(share * 100)); }

std::string_view mode_label(CardMode mode) {
  switch (mode) {
    case CardMode::kEmpty:
      return "free";
    case CardMode::kWhole:
      return "whole card";
    case CardMode::kTimeslice:
      return "time-sliced";
    case CardMode::kMps:
      return "MPS";
    case CardMode::kMig:
      return "MIG";
  }
  return {};
}

template <typename Items, typename Convert>
Document list_of(const Items& items, Convert convert) {
  Document list = Document::list();
  for (const auto& item : items) list.append(convert(item));
  return list;
}

template <typename Value>
Document column(const RunResult& run, Value value) {
  std::vector<double> values;
  for (const Sample& sample : run.samples) values.push_back(static_cast<double>(value(sample)));
  return list_of(span_means(values, samples_per_point(values.size())), number);
}

Document point_times(const RunResult& run) {
  const std::size_t per_point = samples_per_point(run.samples.size());
  Document list = Document::list();
  for (std::size_t i = 0; i < run.samples.size(); i += per_point) {
    list.append(Document::integer(run.samples[i].at_ms));
  }
  return list;
}

Document allocated_columns(const RunResult& run) {
  Document columns = Document::list();
  for (std::size_t model = 0; model < run.fleet.models.size(); ++model) {
    columns.append(column(run, [model](const Sample& sample) {
      return model < sample.allocated_cards.size() ? sample.allocated_cards[model] : 0;
    }));
  }
  return columns;
}

Document queue_columns(const RunResult& run, std::vector<double> Sample::*cards) {
  Document columns = Document::list();
  for (std::size_t queue = 0; queue < run.queues.size(); ++queue) {
    columns.append(column(run, [&](const Sample& sample) { return (sample.*cards)[queue]; }));
  }
  return columns;
}

Document cause_columns(const RunResult& run) {
  Document columns = Document::list();
  for (std::size_t cause = 0; cause < kCauseCount; ++cause) {
    columns.append(
        column(run, [cause](const Sample& sample) { return sample.unschedulable_cards[cause]; }));
  }
  return columns;
}

Document wait_columns(const RunResult& run) {
  const std::vector<WaitPoint> points = thinned(run.wait_cdf, kMostWaitPoints);
  Document columns = Document::list();
  columns.append(
      list_of(points, [](const WaitPoint& point) { return Document::integer(point.wait_ms); }));
  columns.append(
      list_of(points, [](const WaitPoint& point) { return Document::integer(point.jobs); }));
  return columns;
}

// [name, model, condition, CPU %, memory %, mode per card, health per card, [share %], [tasks]]:
// modes and healths as digits, one per card.
Document node_row(const RunResult& run, const NodeUse& node) {
  const auto& models = run.fleet.models;
  const auto model = std::find_if(models.begin(), models.end(), [&node](const FleetModel& each) {
    return each.model == node.model;
  });
  std::string modes;
  std::string healths;
  for (const CardUse& card : node.cards) {
    modes += static_cast<char>('0' + static_cast<int>(card.mode));
    healths += static_cast<char>('0' + static_cast<int>(card.health));
  }
  if (healths.find_first_not_of('0') == std::string::npos) healths.clear();
  Document row = Document::list();
  row.append(text(node.name));
  row.append(Document::integer(model - models.begin()));
  row.append(Document::integer(static_cast<int>(node.condition)));
  row.append(percent(node.cpu_share));
  row.append(percent(node.memory_share));
  row.append(text(modes));
  row.append(text(healths));
  row.append(
      list_of(node.cards, [](const CardUse& card) { return percent(card.allocated_share); }));
  row.append(
      list_of(node.cards, [](const CardUse& card) { return Document::integer(card.tasks); }));
  return row;
}

Document node_rows(const RunResult& run) {
  Document rows = Document::list();
  for (const NodeUse& node : run.nodes) {
    if (!node.cards.empty()) rows.append(node_row(run, node));
  }
  return rows;
}

Document run_document(const RunResult& run) {
  const std::size_t per_point = samples_per_point(run.samples.size());
  Document map = Document::map();
  map.add("policy", text(run.policy));
  map.add("cards", Document::integer(run.fleet.cards));
  map.add("models", list_of(run.fleet.models, [](const FleetModel& model) {
            Document pair = Document::list();
            pair.append(text(model.model));
            pair.append(Document::integer(model.cards));
            return pair;
          }));
  map.add("duration", Document::integer(run.duration_ms));
  map.add("span",
          Document::integer(per_point > 1 ? run.step_ms * static_cast<DurationMs>(per_point) : 0));
  map.add("at", point_times(run));
  map.add("allocated", allocated_columns(run));
  map.add("waiting", column(run, [](const Sample& sample) { return sample.waiting_cards; }));
  map.add("running", column(run, [](const Sample& sample) { return sample.running_jobs; }));
  map.add("pending", column(run, [](const Sample& sample) { return sample.pending_jobs; }));
  map.add("unschedulable", cause_columns(run));
  map.add("queues", list_of(run.queues, [](const QueueShare& share) {
            Document pair = Document::list();
            pair.append(text(share.name));
            pair.append(number(share.guarantee_cards));
            return pair;
          }));
  map.add("held", queue_columns(run, &Sample::queue_cards));
  map.add("fair", queue_columns(run, &Sample::queue_fair_cards));
  map.add("kept", column(run, [](const Sample& sample) { return sample.kept_cards; }));
  map.add("deferring", column(run, [](const Sample& sample) { return sample.deferring_jobs; }));
  map.add("waits", wait_columns(run));
  map.add("nodes", node_rows(run));
  return map;
}

}  // namespace

std::size_t samples_per_point(std::size_t samples) {
  return std::max<std::size_t>(1, (samples + kMostPoints - 1) / kMostPoints);
}

std::vector<double> span_means(std::span<const double> values, std::size_t per_point) {
  BERTH_CHECK(per_point > 0);
  std::vector<double> means;
  for (std::size_t start = 0; start < values.size(); start += per_point) {
    const std::size_t end = std::min(values.size(), start + per_point);
    double sum = 0;
    for (std::size_t i = start; i < end; ++i) sum += values[i];
    means.push_back(sum / static_cast<double>(end - start));
  }
  return means;
}

std::vector<WaitPoint> thinned(const std::vector<WaitPoint>& points, std::size_t most) {
  BERTH_CHECK(most >= 2);
  if (points.size() <= most) return points;
  std::vector<WaitPoint> kept;
  for (std::size_t i = 0; i < most; ++i)
    kept.push_back(points[i * (points.size() - 1) / (most - 1)]);
  return kept;
}

std::string page_data(std::span<const RunResult> runs) {
  Document page = Document::map();
  Document causes = Document::list();
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    causes.append(text(cause_label(static_cast<Cause>(i))));
  }
  page.add("causes", std::move(causes));
  Document modes = Document::list();
  for (std::size_t i = 0; i < words_of<CardMode>().size(); ++i) {
    modes.append(text(mode_label(static_cast<CardMode>(i))));
  }
  page.add("modes", std::move(modes));
  page.add("healths", list_of(words_of<CardHealth>(), text));
  page.add("conditions", list_of(words_of<NodeCondition>(), text));
  page.add("runs", list_of(runs, run_document));
  return codec::write_json_line(page);
}

}  // namespace berth::sim

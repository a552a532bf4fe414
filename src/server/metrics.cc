#include "server/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>

namespace berth::server {

namespace {

using control::JobWait;

// Upper bounds of the buckets of waits, in seconds: from what nobody notices to a week.
constexpr std::array<double, 16> kWaitBounds = {
    1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400, 259200, 604800};

prometheus::ClientMetric::Histogram told(const Histogram& of) {
  prometheus::ClientMetric::Histogram out;
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < of.counts.size(); ++b) {
    sum += of.counts[b];
    const bool is_last = b == kWaitBounds.size();
    out.bucket.push_back({sum, is_last ? std::numeric_limits<double>::infinity() : kWaitBounds[b]});
  }
  out.sample_count = sum;
  out.sample_sum = of.sum;
  return out;
}

prometheus::ClientMetric told(const MetricSample& sample, MetricKind kind) {
  prometheus::ClientMetric metric;
  for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
  if (kind == MetricKind::kCounter) metric.counter.value = sample.value;
  if (kind == MetricKind::kGauge) metric.gauge.value = sample.value;
  if (kind == MetricKind::kHistogram) metric.histogram = told(sample.histogram);
  return metric;
}

prometheus::MetricType type_of(MetricKind kind) {
  if (kind == MetricKind::kCounter) return prometheus::MetricType::Counter;
  if (kind == MetricKind::kGauge) return prometheus::MetricType::Gauge;
  return prometheus::MetricType::Histogram;
}

}  // namespace

const char* word(MetricKind kind) {
  static constexpr std::array<const char*, 3> kWords = {"counter", "gauge", "histogram"};
  return kWords.at(static_cast<std::size_t>(kind));
}

std::string metrics_text(const std::vector<MetricFamily>& families) {
  std::vector<prometheus::MetricFamily> out;
  for (const MetricFamily& family : families) {
    prometheus::MetricFamily one;
    one.name = family.spec.name;
    one.help = family.spec.text;
    one.type = type_of(family.spec.kind);
    for (const MetricSample& sample : family.samples) {
      one.metric.push_back(told(sample, family.spec.kind));
    }
    out.push_back(std::move(one));
  }
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, out);
  return text.str();
}

void ControlMetrics::count(std::string_view name, std::uint64_t by) {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(name);
  if (found != counts_.end()) {
    found->second += by;
  } else {
    counts_.emplace(name, by);
  }
}

std::vector<MetricSample> ControlMetrics::events() const {
  std::vector<MetricSample> samples;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, count] : counts_) {
    samples.push_back({{{"type", name}}, static_cast<double>(count), {}});
  }
  return samples;
}

void ControlMetrics::waited(const JobWait& wait) {
  const double seconds = static_cast<double>(wait.ms) / static_cast<double>(kSecondMs);
  const auto bound = std::lower_bound(kWaitBounds.begin(), kWaitBounds.end(), seconds);
  const std::lock_guard lock(mutex_);
  Histogram& waits = waits_[{wait.what, wait.job_class}];
  waits.counts.resize(kWaitBounds.size() + 1);
  ++waits.counts[static_cast<std::size_t>(bound - kWaitBounds.begin())];
  waits.sum += seconds;
}

std::vector<MetricSample> ControlMetrics::queue_waits() const {
  std::vector<MetricSample> samples;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, waits] : waits_) {
    if (key.first == JobWait::For::kRepair) continue;
    const char* after = key.first == JobWait::For::kStart ? "submit" : "stop";
    samples.push_back(
        {{{"after", after}, {"class", std::string(berth::word(key.second))}}, 0, waits});
  }
  return samples;
}

std::vector<MetricSample> ControlMetrics::repairs() const {
  std::vector<MetricSample> samples;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, waits] : waits_) {
    if (key.first != JobWait::For::kRepair) continue;
    samples.push_back({{{"class", std::string(berth::word(key.second))}}, 0, waits});
  }
  return samples;
}

}  // namespace berth::server

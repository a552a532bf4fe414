#include "server/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <sstream>

namespace berth::server {

std::string metrics_text(const std::vector<MetricFamily>& families) {
  std::vector<prometheus::MetricFamily> out;
  for (const MetricFamily& family : families) {
    prometheus::MetricFamily one;
    one.name = family.spec.name;
    one.help = family.spec.text;
    const bool is_counter = family.spec.kind == MetricKind::kCounter;
    one.type = is_counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
    for (const MetricSample& sample : family.samples) {
      prometheus::ClientMetric metric;
      for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
      if (is_counter) {
        metric.counter.value = sample.value;
      } else {
        metric.gauge.value = sample.value;
      }
      one.metric.push_back(std::move(metric));
    }
    out.push_back(std::move(one));
  }
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, out);
  return text.str();
}

void EventCounts::count(std::string_view name, std::uint64_t by) {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(name);
  if (found != counts_.end()) {
    found->second += by;
  } else {
    counts_.emplace(name, by);
  }
}

std::vector<MetricSample> EventCounts::samples() const {
  std::vector<MetricSample> samples;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, count] : counts_) {
    samples.push_back({{{"type", name}}, static_cast<double>(count)});
  }
  return samples;
}

}  // namespace berth::server

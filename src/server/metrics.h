// Metrics of a server, in the text format of Prometheus. prometheus-cpp is known to metrics.cc
// only. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "control/ports.h"

namespace berth::server {

enum class MetricKind : std::uint8_t { kCounter, kGauge, kHistogram };
const char* word(MetricKind kind);  // "counter"

// What a metric is, apart from its values. Each is declared once: /metrics and the reference are
// made from the same declarations.
struct MetricSpec {
  const char* name;  // "berth_events_total"
  MetricKind kind;
  const char* unit;  // "events"
  const char* text;  // a sentence
};

// How many values were at most so large, and their sum.
struct Histogram {
  std::vector<std::uint64_t> counts;  // by bucket, and those above the last bound
  double sum = 0;
};

struct MetricSample {
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
  Histogram histogram;  // of a histogram, instead of the value
};

struct MetricFamily {
  MetricSpec spec;
  std::vector<MetricSample> samples;
};

std::string metrics_text(const std::vector<MetricFamily>& families);

// What the controller tells: events by their type, and the waits of jobs. What a server reads of
// its journal when it starts is not counted again.
class ControlMetrics final : public control::Metrics {
 public:
  void count(std::string_view name, std::uint64_t by) override;
  void waited(const control::JobWait& wait) override;

  std::vector<MetricSample> events() const;  // label `type`
  // Histograms in seconds; label `class`. The wait for a start in the queue also has the label
  // `after`: "submit", or "stop" for a job that ran before.
  std::vector<MetricSample> queue_waits() const;
  std::vector<MetricSample> repairs() const;

 private:
  using WaitKey = std::pair<control::JobWait::For, JobClass>;

  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;
  std::map<WaitKey, Histogram> waits_;
};

}  // namespace berth::server

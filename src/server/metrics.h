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

enum class MetricKind : std::uint8_t { kCounter, kGauge };

// What a metric is, apart from its values. Each is declared once: /metrics and the reference are
// made from the same declarations.
struct MetricSpec {
  const char* name;  // "berth_events_total"
  MetricKind kind;
  const char* unit;  // "events"
  const char* text;  // a sentence
};

struct MetricSample {
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

struct MetricFamily {
  MetricSpec spec;
  std::vector<MetricSample> samples;
};

std::string metrics_text(const std::vector<MetricFamily>& families);

// Counts by name, as the controller tells them: events by their type.
class EventCounts final : public control::Metrics {
 public:
  void count(std::string_view name, std::uint64_t by) override;
  std::vector<MetricSample> samples() const;  // label `type`

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

}  // namespace berth::server

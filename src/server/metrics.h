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

struct MetricSample {
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

struct MetricFamily {
  std::string name;  // "berth_events_total"
  std::string text;
  MetricKind kind = MetricKind::kCounter;
  std::vector<MetricSample> samples;
};

std::string metrics_text(const std::vector<MetricFamily>& families);

// Counts by name, as the controller tells them: events by their type.
class EventCounts final : public control::Metrics {
 public:
  void count(std::string_view name, std::uint64_t by) override;
  MetricFamily family() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

}  // namespace berth::server

#include "sim/report/bar_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/report/format.h"
#include "sim/report/svg.h"

namespace berth::sim {
namespace {

constexpr double kHeight = 206;
constexpr double kLeft = 46;
constexpr double kRight = 10;
constexpr double kTop = 26;
constexpr double kBottom = 24;
constexpr double kFloor = kHeight - kBottom;

// 1, 2 or 5 times a power of ten, so that at most four of them reach `most`.
double step_for(double most) {
  double step = std::pow(10, std::floor(std::log10(most)) - 1);
  for (int i = 0;; ++i) {
    if (step * 4 >= most * 0.9999) return step;
    step *= i % 3 == 1 ? 2.5 : 2;
  }
}

// The largest of 1, 2 or 5 times a power of ten that is not above it.
double round_below(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double times : {5.0, 2.0}) {
    if (times * power <= value) return times * power;
  }
  return power;
}

DurationMs time_step_for(DurationMs duration) {
  constexpr std::array<DurationMs, 13> kSteps = {
      kMinuteMs,    5 * kMinuteMs, 10 * kMinuteMs, 30 * kMinuteMs, kHourMs,
      2 * kHourMs,  4 * kHourMs,   6 * kHourMs,    12 * kHourMs,   24 * kHourMs,
      48 * kHourMs, 96 * kHourMs,  168 * kHourMs};
  for (const DurationMs step : kSteps) {
    if (duration / step <= 6) return step;
  }
  return (duration / (6 * kSteps.back()) + 1) * kSteps.back();
}

// In the unit of the steps, so that neighbours can be compared.
std::string time_text(TimeMs at, DurationMs step) {
  if (step % (24 * kHourMs) == 0) return std::to_string(at / (24 * kHourMs)) + " d";
  if (step % kHourMs == 0) return std::to_string(at / kHourMs) + " h";
  return std::to_string(at / kMinuteMs) + " min";
}

// The frame of a chart: where values and instants are, with lines and numbers for them.
class Frame {
 public:
  // `least_step`: between two lines; 1 for what is counted.
  Frame(double width, DurationMs duration, double most, double least_step, bool is_root)
      : width_(width), duration_(std::max<DurationMs>(1, duration)), is_root_(is_root) {
    const double step = std::max(least_step, step_for(std::max(most, 1e-9)));
    top_ = std::ceil(most / step - 1e-9) * step;
    step_ = step;
  }

  double x(TimeMs at) const {
    return kLeft +
           (width_ - kLeft - kRight) * static_cast<double>(at) / static_cast<double>(duration_);
  }
  double y(double value) const {
    const double part = is_root_ ? std::sqrt(value / top_) : value / top_;
    return kFloor - (kFloor - kTop) * part;
  }

  // `unit`: of the values.
  void draw(Svg& svg, std::string_view unit) const {
    svg.text(0, 11, unit);
    for (const double value : ticks()) {
      svg.line(kLeft, y(value), width_ - kRight, y(value), value == 0 ? "axis" : "gridline");
      svg.text(kLeft - 7, y(value) + 4, tick_text(value), "end");
    }
    const DurationMs step = time_step_for(duration_);
    for (TimeMs at = 0; at <= duration_; at += step) {
      const bool is_last = at + step > duration_;
      svg.text(x(at), kHeight - 6, time_text(at, step),
               at == 0   ? "start"
               : is_last ? "end"
                         : "middle");
    }
  }

 private:
  // A root crowds its upper half: there every other one is enough.
  std::vector<double> ticks() const {
    if (is_root_) {
      std::vector<double> values = {0};
      for (const double part : {1.0 / 16, 0.25}) {
        if (top_ * part >= 1) values.push_back(round_below(top_ * part));
      }
      values.push_back(top_);
      return values;
    }
    std::vector<double> values;
    for (int i = 0; i * step_ <= top_ * 1.0001; ++i) values.push_back(i * step_);
    return values;
  }
  std::string tick_text(double value) const {
    const bool whole = std::abs(value - std::round(value)) < 1e-9;
    return number_text(value, whole ? 0 : value < 1 ? 2 : 1);
  }

  double width_;
  DurationMs duration_;
  bool is_root_;
  double top_ = 1;
  double step_ = 1;
};

std::string span_text(std::size_t bar, std::size_t bars, DurationMs duration) {
  const auto at = [&](std::size_t i) {
    return static_cast<double>(duration) * static_cast<double>(i) / static_cast<double>(bars);
  };
  return duration_text(at(bar)) + " to " + duration_text(at(bar + 1));
}

}  // namespace

std::string bar_chart_svg(const BarChart& chart) {
  Svg svg(chart.width, kHeight, chart.label);
  const Frame frame(chart.width, chart.duration_ms, chart.most, chart.decimals == 0 ? 1 : 0, false);
  frame.draw(svg, chart.unit);
  const double span = (chart.width - kLeft - kRight) / static_cast<double>(chart.bars.size());
  for (std::size_t b = 0; b < chart.bars.size(); ++b) {
    double below = 0;
    for (std::size_t p = 0; p < chart.parts.size(); ++p) {
      const double value = chart.bars[b][p];
      if (value <= 0) continue;
      const double height = frame.y(below) - frame.y(below + value);
      svg.rect(kLeft + span * static_cast<double>(b) + span * 0.1, frame.y(below + value),
               span * 0.8, std::max(height, 0.5), "bar-part " + chart.parts[p].classes,
               chart.parts[p].label + ": " + number_text(value, chart.decimals) + " " + chart.unit +
                   ", " + span_text(b, chart.bars.size(), chart.duration_ms));
      below += value;
    }
  }
  return svg.finish();
}

std::string stem_chart_svg(const StemChart& chart) {
  constexpr double kLeastRadius = 2.5;
  constexpr double kMostRadius = 9;
  Svg svg(chart.width, kHeight, chart.label);
  const Frame frame(chart.width, chart.duration_ms, chart.most, 0, true);
  frame.draw(svg, chart.unit);
  for (const Stem& stem : chart.stems) {
    svg.line(frame.x(stem.at_ms), kFloor, frame.x(stem.at_ms), frame.y(stem.value),
             "stem " + stem.classes);
  }
  for (const Stem& stem : chart.stems) {
    const double radius = kLeastRadius + (kMostRadius - kLeastRadius) * std::sqrt(stem.weight);
    svg.circle(frame.x(stem.at_ms), frame.y(stem.value), radius, "stem-dot " + stem.classes,
               stem.title);
  }
  return svg.finish();
}

}  // namespace berth::sim

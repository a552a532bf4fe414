#include "bench/speed/results.h"

#include <utility>
#include <vector>

namespace berth::bench::speed {
namespace {

const std::vector<std::string> kPlacementHeader = {
    "case", "policy", "k placements/s", "k refusals/s", "alloc %", "p50 us", "p99 us", "p99.9 us"};

void add_row(std::optional<Table>& table, std::vector<std::string> header,
             std::vector<std::string> row) {
  if (!table) table.emplace(std::move(header));
  table->add(std::move(row));
}

}  // namespace

Results::Results() : report_("speed") {}

void Results::add(const Entry& entry, const char* metric, double value, const char* unit) {
  report_.add({std::string(entry.case_name), std::string(entry.policy), metric, value, unit,
               entry.runs, std::nullopt});
}

void Results::add_placements(const Entry& entry, const Figures& figures) {
  add(entry, "placements_per_s", figures.placements_per_s, "1/s");
  add(entry, "refusals_per_s", figures.refusals_per_s, "1/s");
  add(entry, "alloc_pct", figures.alloc_pct, "%");
  add(entry, "p50_us", figures.p50_us, "us");
  add(entry, "p99_us", figures.p99_us, "us");
  add(entry, "p999_us", figures.p999_us, "us");
  add_row(placements_, kPlacementHeader,
          {std::string(entry.case_name), std::string(entry.policy),
           fixed(figures.placements_per_s / 1e3, 1), fixed(figures.refusals_per_s / 1e3, 1),
           fixed(figures.alloc_pct, 2), fixed(figures.p50_us, 2), fixed(figures.p99_us, 1),
           fixed(figures.p999_us, 1)});
}

void Results::add_allocation(const Entry& entry, double alloc_pct) {
  add(entry, "alloc_pct", alloc_pct, "%");
  add_row(placements_, kPlacementHeader,
          {std::string(entry.case_name), std::string(entry.policy), "", "", fixed(alloc_pct, 2), "",
           "", ""});
}

void Results::add_minus_exact(const Entry& entry, double points) {
  add(entry, "alloc_minus_exact", points, "points");
}

void Results::add_simulator(const Entry& entry, double events_per_s) {
  add(entry, "events_per_s", events_per_s, "1/s");
  add_row(simulator_, {"case", "policy", "M events/s"},
          {std::string(entry.case_name), std::string(entry.policy), fixed(events_per_s / 1e6, 2)});
}

std::string Results::to_text() const {
  std::string text = placements_ ? placements_->to_text() : "";
  if (placements_ && simulator_) text += '\n';
  return simulator_ ? text + simulator_->to_text() : text;
}

}  // namespace berth::bench::speed

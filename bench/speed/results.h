// What was measured: the rows for the file and the tables for people.
// Owns: the names and units of the metrics. Must never measure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "bench/common/report.h"
#include "bench/common/table.h"
#include "bench/speed/measure.h"

namespace berth::bench::speed {

// Whose figures they are: a case, a policy and the timed runs.
struct Entry {
  std::string_view case_name;
  std::string_view policy;
  std::size_t runs = 0;
};

class Results {
 public:
  Results();

  void add_placements(const Entry& entry, const Figures& figures);
  // Of a policy whose time says nothing.
  void add_allocation(const Entry& entry, double alloc_pct);
  // By how much a policy allocates more than the exact one, in points.
  void add_minus_exact(const Entry& entry, double points);
  void add_simulator(const Entry& entry, double events_per_s);

  const Report& report() const { return report_; }
  // The tables that have a row.
  std::string to_text() const;

 private:
  void add(const Entry& entry, const char* metric, double value, const char* unit);

  Report report_;
  std::optional<Table> placements_;
  std::optional<Table> simulator_;
};

}  // namespace berth::bench::speed

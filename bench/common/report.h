// The rows of a comparison and their file.
// Owns: the rows and the JSON format that tools/bench_results.py reads. Must never compute one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace berth::bench {

struct Row {
  std::string case_name;
  std::string policy;
  std::string metric;
  double value = 0;
  std::string unit;
  std::size_t runs = 0;      // 0: does not apply
  std::optional<double> sd;  // over the runs
};

class Report {
 public:
  explicit Report(std::string bench) : bench_(std::move(bench)) {}

  void add(Row row) { rows_.push_back(std::move(row)); }
  // A row of ours: the mean over the runs, with their spread.
  void add_mean(const std::string& case_name, const std::string& metric, const std::string& unit,
                std::span<const double> values);
  const std::vector<Row>& rows() const { return rows_; }

  // {"bench", "machine", "date", "revision", "rows"}; a machine, date or revision that cannot be
  // found out is left empty.
  std::string to_json() const;
  Status write(const std::string& file) const;

 private:
  std::string bench_;
  std::vector<Row> rows_;
};

// A JSON string with its quotes.
std::string json_text(std::string_view text);

}  // namespace berth::bench

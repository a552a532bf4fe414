// What was measured: the rows for the file and the table for people.
// Owns: the names and units of the metrics. Must never measure.
#pragma once

#include <string>

#include "bench/common/report.h"
#include "bench/scale/measure.h"

namespace berth::bench::scale {

void add_rows(const std::string& case_name, const Figures& figures, Report& report);
std::string table(const Figures& figures);

}  // namespace berth::bench::scale

// Results of runs as JSON: each is refused with a message or read, and then it can be reported in
// every form, beside another one.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "sim/report/csv.h"
#include "sim/report/html.h"
#include "sim/report/json.h"
#include "sim/report/table.h"
#include "sim/result_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth::sim;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto run = read_run_json(text, "fuzz");
  if (!run) {
    BERTH_CHECK(!run.error().message.empty());
    return 0;
  }
  const std::array<RunResult, 2> runs = {*run, RunResult{}};
  BERTH_CHECK(!comparison_table(runs, Colours::kOff).empty());
  BERTH_CHECK(!comparison_json(runs).empty() && !run_json(*run).empty());
  BERTH_CHECK(!series_csv(runs).empty() && !html_report(runs).empty());
  return 0;
}

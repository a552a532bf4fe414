// Every table of a trace: what a parser accepts must be usable, and what it skips must be counted.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "sim/trace/loader.h"

namespace {

using namespace berth;
using namespace berth::sim;

void check_jobs(std::string_view text, TraceFormat format) {
  TraceSpec trace;
  trace.format = format;
  trace.queue = "team";
  const auto strict = trace_jobs(text, "fuzz", trace, BadRows::kRefuse);
  const auto lenient = trace_jobs(text, "fuzz", trace, BadRows::kSkip);
  BERTH_CHECK(!strict || (lenient && lenient->skipped.count == 0));
  BERTH_CHECK(strict || !strict.error().message.empty());
  if (!lenient) return;
  TimeMs before = 0;
  for (const SimJob& job : lenient->items) {
    BERTH_CHECK(job.at >= before && job.run_ms >= 0 && job.spec != nullptr);
    before = job.at;
  }
}

void check_fleet(std::string_view text, TraceFormat format) {
  FleetTrace fleet;
  fleet.format = format;
  fleet.model = "P100-PCIE-16GB";
  fleet.divide = 1000;
  const auto read = trace_fleet(text, "fuzz", fleet, BadRows::kSkip);
  BERTH_CHECK(read.has_value() || !read.error().message.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const TraceFormat format :
       {TraceFormat::kPlain, TraceFormat::kOpenb, TraceFormat::kPhilly}) {
    check_jobs(text, format);
  }
  check_fleet(text, TraceFormat::kOpenb);
  check_fleet(text, TraceFormat::kPhilly);
  return 0;
}

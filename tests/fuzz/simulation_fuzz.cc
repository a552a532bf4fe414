// Simulation files and workloads: an accepted object is written and read back unchanged.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/text_fuzz.h"
#include "sim/simulation_file.h"
#include "sim/workload/workload_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr auto kFormat = codec::TextFormat::kYaml;
  const auto document = codec::read_text(text, kFormat);
  if (!document) return 0;
  codec::fuzz::check_object<sim::SimulationFile>(*document, kFormat);
  codec::fuzz::check_object<sim::Workload>(*document, kFormat);
  return 0;
}

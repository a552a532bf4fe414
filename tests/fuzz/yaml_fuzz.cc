#include <cstddef>
#include <cstdint>

#include "codec/text_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using berth::codec::TextFormat;
  berth::codec::fuzz::check_text({reinterpret_cast<const char*>(data), size}, TextFormat::kYaml);
  return 0;
}

// Any text as a selector, evaluated on one device: it is answered the same way each time, within
// its steps, and never by a crash. Quantities and versions are read from the same text.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "selector/check.h"
#include "selector/evaluate.h"
#include "selector/parser.h"
#include "selector/selector.h"

namespace {

using namespace berth::selector;

Device device() {
  Device made;
  made.driver = "gpu.nvidia.com";
  made.set_attribute("type", "gpu");
  made.set_attribute("productName", "NVIDIA A100-SXM4-80GB");
  made.set_attribute("driverVersion", *Semver::parse("550.54.15-rc.1"));
  made.set_attribute("index", std::int64_t{2});
  made.set_attribute("ecc", true);
  made.set_attribute("links", std::vector<AttributeScalar>{std::string("nv0"), std::int64_t{1}});
  made.set_attribute("d/broken", "\xff\xc3");
  made.set_capacity("memory", *Quantity::parse("80Gi"));
  return made;
}

// The checker's word holds, and a second evaluation takes the same steps to the same end.
void check_evaluation(const Checked& checked, const Device& on) {
  Evaluation first(checked.program, on);
  Evaluation second(checked.program, on);
  const auto value = first.run();
  const auto again = second.run();
  BERTH_CHECK(first.steps() <= kStepLimit && first.steps() == second.steps());
  BERTH_CHECK(value.has_value() == again.has_value());
  if (value) {
    BERTH_CHECK(is_accepted(value->kind(), checked.type.kind()));
  } else {
    BERTH_CHECK(!value.error().message.empty() && value.error().message == again.error().message);
  }
}

void check_readers(std::string_view text) {
  if (const auto quantity = Quantity::parse(text)) {
    BERTH_CHECK(*quantity->plus(*quantity)->minus(*quantity) == *quantity);
  }
  if (Semver::parse(text)) BERTH_CHECK(Semver::parse_normalized(text).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Device kDevice = device();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_readers(text);
  auto ast = parse(text);
  if (!ast) {
    BERTH_CHECK(!ast.error().message.empty());
    BERTH_CHECK(!Selector::compile(text).has_value());
    return 0;
  }
  const auto checked = check(text, std::move(*ast));
  if (!checked) {
    BERTH_CHECK(!checked.error().message.empty());
    return 0;
  }
  check_evaluation(*checked, kDevice);
  return 0;
}

// Selectors met in practice, each on devices that match and that do not, and what users are told.
#include "selector/selector.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "selector/testing.h"

namespace berth::selector {
namespace {

Device gpu_with(const std::function<void(Device&)>& change) {
  Device device = testing::gpu();
  change(device);
  return device;
}
Device without(std::string_view id) {
  return gpu_with(
      [&](Device& device) { device.attributes["gpu.nvidia.com"].erase(std::string(id)); });
}
Device mig() {
  return gpu_with([](Device& device) {
    device.set_attribute("type", "mig");
    device.set_attribute("profile", "1g.5gb");
    device.set_capacity("memory", *Quantity::parse("4864Mi"));
  });
}
Device channel(std::int64_t id) {
  Device device;
  device.driver = "compute-domain.nvidia.com";
  device.set_attribute("type", "channel");
  device.set_attribute("id", id);
  return device;
}

enum class Answer { kYes, kNo, kError };

struct Case {
  const char* source;
  Device device;
  Answer answer;
};

Answer answer_of(const char* source, const Device& device) {
  const auto selector = Selector::compile(source);
  EXPECT_TRUE(selector.has_value()) << source << ": " << selector.error().message;
  if (!selector) return Answer::kError;
  const auto matches = selector->matches(device);
  if (!matches) return Answer::kError;
  return *matches ? Answer::kYes : Answer::kNo;
}

constexpr const char* kClass =
    "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'";
constexpr const char* kChannel =
    "device.driver == 'compute-domain.nvidia.com' && "
    "device.attributes['compute-domain.nvidia.com'].type == 'channel' && "
    "device.attributes['compute-domain.nvidia.com'].id == 0";
constexpr const char* kProfile = "device.attributes['gpu.nvidia.com'].profile == '1g.5gb'";
constexpr const char* kDemo =
    "device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*a100.*$') && "
    "(device.attributes['gpu.nvidia.com'].index == 0 || "
    "device.attributes['gpu.nvidia.com'].index == 2)";
constexpr const char* kVersion =
    "device.attributes['gpu.nvidia.com'].driverVersion.compareTo(semver(\"550.0.0\")) >= 0";
constexpr const char* kMemory =
    "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0";
constexpr const char* kTwoDomains =
    "device.attributes['driver'].x && "
    "device.attributes[\"d\"].driverVersion.isGreaterThan(semver(\"1.0.0\"))";

TEST(Selector, MatchesWhatIsMetInPractice) {
  const auto hopper = [](Device& device) { device.set_attribute("productName", "NVIDIA H100"); };
  const auto other_index = [](Device& device) { device.set_attribute("index", std::int64_t{1}); };
  const auto old_driver = [](Device& device) {
    device.set_attribute("driverVersion", *Semver::parse("535.183.1"));
  };
  const auto release_candidate = [](Device& device) {
    device.set_attribute("driverVersion", *Semver::parse("550.0.0-rc.1"));
  };
  const auto domains = [](bool x, const char* version) {
    return gpu_with([&](Device& device) {
      device.set_attribute("driver/x", x);
      device.set_attribute("d/driverVersion", *Semver::parse(version));
    });
  };
  const std::vector<Case> cases = {
      {kClass, testing::gpu(), Answer::kYes},
      {kClass, mig(), Answer::kNo},
      {kClass, channel(0), Answer::kNo},
      {kClass, without("type"), Answer::kError},
      {kChannel, channel(0), Answer::kYes},
      {kChannel, channel(7), Answer::kNo},
      {kChannel, testing::gpu(), Answer::kNo},
      {kProfile, mig(), Answer::kYes},
      {kProfile, gpu_with([](Device& d) { d.set_attribute("profile", "2g.10gb"); }), Answer::kNo},
      {kProfile, testing::gpu(), Answer::kError},
      {kDemo, testing::gpu(), Answer::kYes},
      {kDemo, gpu_with(hopper), Answer::kNo},
      {kDemo, gpu_with(other_index), Answer::kNo},
      {kDemo, without("index"), Answer::kError},
      {kVersion, testing::gpu(), Answer::kYes},
      {kVersion, gpu_with(old_driver), Answer::kNo},
      {kVersion, gpu_with(release_candidate), Answer::kNo},
      {kMemory, testing::gpu(), Answer::kYes},
      {kMemory, mig(), Answer::kNo},
      {kMemory, channel(0), Answer::kError},
      {kTwoDomains, domains(true, "1.0.1"), Answer::kYes},
      {kTwoDomains, domains(true, "1.0.0"), Answer::kNo},
      {kTwoDomains, domains(false, "1.0.1"), Answer::kNo},
      {kTwoDomains, testing::gpu(), Answer::kError},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(answer_of(each.source, each.device), each.answer) << each.source;
  }
}

TEST(Selector, UnknownAttributeIsAnErrorThatNamesIt) {
  const auto selector = Selector::compile("device.attributes['gpu.nvidia.com'].productNam == 'x'");
  const auto matches = selector->matches(testing::gpu());
  ASSERT_FALSE(matches.has_value());
  EXPECT_EQ(matches.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(matches.error().message,
            "column 37: the device has no attribute 'productNam' in domain 'gpu.nvidia.com'; did "
            "you mean 'productName'?");
}

TEST(Selector, ErrorIsNotFalseButIsAbsorbedByWhatDecides) {
  EXPECT_EQ(answer_of("device.attributes['a'].b == 1", testing::gpu()), Answer::kError);
  EXPECT_EQ(answer_of("!(device.attributes['a'].b == 1)", testing::gpu()), Answer::kError);
  EXPECT_EQ(answer_of("device.attributes['a'].b == 1 || true", testing::gpu()), Answer::kYes);
  EXPECT_EQ(answer_of("device.attributes['a'].b == 1 && false", testing::gpu()), Answer::kNo);
}

TEST(Selector, UnsupportedFunctionDoesNotCompileAndIsNamed) {
  const auto selector = Selector::compile("device.driver.startWith('gpu')");
  ASSERT_FALSE(selector.has_value());
  EXPECT_EQ(selector.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(selector.error().message,
            "column 15: the function 'startWith' is not supported; did you mean 'startsWith'?");
}

TEST(Selector, ResultHasToBeBool) {
  EXPECT_EQ(Selector::compile("1 + 1").error().message,
            "the result is of type int; bool is accepted");
  const auto dynamic = Selector::compile("device.attributes['gpu.nvidia.com'].index");
  ASSERT_TRUE(dynamic.has_value());
  EXPECT_EQ(dynamic->matches(testing::gpu()).error().message,
            "the result is of type int; bool is accepted");
  EXPECT_TRUE(
      *Selector::compile("device.attributes['gpu.nvidia.com'].ecc")->matches(testing::gpu()));
}

TEST(Selector, ErrorsSayTheLineWhereThereAreSeveral) {
  EXPECT_EQ(Selector::compile("true &&\n  fals").error().message,
            "line 2, column 3: 'fals' is not known; accepted: device");
}

TEST(Selector, CopiesShareTheProgramAndKeepItsSource) {
  auto first = Selector::compile("device.driver == 'gpu.nvidia.com'");
  const Selector second = *first;
  first = Selector::compile("false");
  EXPECT_EQ(second.source(), "device.driver == 'gpu.nvidia.com'");
  EXPECT_TRUE(*second.matches(testing::gpu()));
  EXPECT_FALSE(*first->matches(testing::gpu()));
}

TEST(Selector, UnqualifiedNamesBelongToTheDriver) {
  EXPECT_EQ(answer_of("device.attributes[device.driver].index == 2", testing::gpu()), Answer::kYes);
  EXPECT_EQ(answer_of("device.attributes['resource.kubernetes.io'].pcieRoot == 'pci0000:17'",
                      testing::gpu()),
            Answer::kYes);
  EXPECT_EQ(answer_of("has(device.attributes['resource.kubernetes.io'].index)", testing::gpu()),
            Answer::kNo);
}

TEST(Selector, SharedDevicesAreToldApart) {
  const Device shared = gpu_with([](Device& d) { d.allow_multiple_allocations = true; });
  EXPECT_EQ(answer_of("device.allowMultipleAllocations", shared), Answer::kYes);
  EXPECT_EQ(answer_of("device.allowMultipleAllocations", testing::gpu()), Answer::kNo);
}

}  // namespace
}  // namespace berth::selector

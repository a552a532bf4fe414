#include "codec/gpu_model_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/writer.h"

namespace berth::codec {
namespace {

using ::testing::HasSubstr;

const std::string kDirectory = std::string(BERTH_SOURCE_DIR) + "/data/gpus";

std::string error_of(const std::string& from, const std::string& to) {
  std::string text = read_file(kDirectory + "/h100-sxm5-80gb.yaml").value();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto model = from_text<GpuModel>(text, TextFormat::kYaml, "f");
  return model ? "accepted" : model.error().to_text();
}

TEST(GpuModelCodec, LoadsTheCatalogueAndWritesItBack) {
  const auto models = load_gpu_catalog(kDirectory);
  ASSERT_TRUE(models.has_value()) << models.error().to_text();
  EXPECT_GE(models->size(), 30U);
  for (const GpuModel& model : *models) {
    for (const auto style : {WriteStyle::kFull, WriteStyle::kWithoutDefaults}) {
      for (const auto format : {TextFormat::kYaml, TextFormat::kJson}) {
        const std::string text = write_text(to_document(model, style), format);
        const auto again = from_text<GpuModel>(text, format, model.name);
        ASSERT_TRUE(again.has_value()) << again.error().to_text() << text;
        EXPECT_EQ(*again, model);
      }
    }
  }
}

TEST(GpuModelCodec, NamesLineFieldAndWhatIsAccepted) {
  EXPECT_EQ(error_of("vendor:", "vendr:"),
            "f:3: unknown field 'vendr'; did you mean 'vendor'?\n"
            "f:1: vendor: is missing; text (at most 64 bytes) is needed");
  EXPECT_THAT(error_of("reach: node", "reach: nod"),
              HasSubstr("nvlink.reach: is 'nod'; did you mean 'node'?"));
  EXPECT_EQ(error_of("sms: 132", "sms: -1"),
            "f:15: sms: is -1; a whole number from 1 to 4096 is accepted");
  EXPECT_EQ(error_of("starts: [0, 1", "starts: [0, 9"),
            "f:28: mig_profiles[0].starts[1]: is 9; a whole number from 0 to 7 is accepted");
  EXPECT_THAT(error_of("id: 20", "id: 19"),
              HasSubstr("f:38: mig_profiles[1].id: is 19, the id of '1g.10gb' too"));
  EXPECT_THAT(error_of("memory_mib: 81079", "memory_mib: 79.5MiB"),
              HasSubstr("f:11: memory_mib: is '79.5MiB'; a memory size"));
  EXPECT_THAT(error_of("device_ids: [\"2330\"]", "device_ids: [2330]"),
              HasSubstr("f:8: device_ids[0]: is 2330; text, in quotes, is accepted"));
}

TEST(GpuModelCodec, RefusesADirectoryWithoutModels) {
  EXPECT_THAT(load_gpu_catalog("/nowhere").error().to_text(), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace berth::codec

#include "bench/common/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/common/statistics.h"
#include "bench/common/table.h"

namespace berth::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Report, WritesFlatRows) {
  Report report("fill");
  report.add({"default", "fgd", "alloc_pct_at_100", 95.25, "%", 10, 0.125});
  report.add({"default", "lp_bound", "alloc_pct_at_100", 96.5, "%", 0, std::nullopt});
  const std::string json = report.to_json();
  EXPECT_THAT(json, HasSubstr("{\"case\": \"default\", \"policy\": \"fgd\", \"metric\": "
                              "\"alloc_pct_at_100\", \"value\": 95.25, \"unit\": \"%\", "
                              "\"runs\": 10, \"sd\": 0.125}"));
  EXPECT_THAT(json, HasSubstr("\"value\": 96.5, \"unit\": \"%\"}"));
  EXPECT_THAT(json, HasSubstr("{\"bench\": \"fill\", \"machine\": "));
}

TEST(Report, EscapesText) { EXPECT_EQ(json_text("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\""); }

TEST(Report, SaysWhichFileCannotBeWritten) {
  const Status written = Report("fill").write("/no/such/folder/out.json");
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().to_text(), HasSubstr("/no/such/folder/out.json"));
}

TEST(Statistics, OfTwoRuns) {
  const std::vector<double> a = {1, 3};
  const std::vector<double> b = {0.5, 3.5};
  EXPECT_DOUBLE_EQ(mean(a), 2);
  EXPECT_DOUBLE_EQ(population_sd(a), 1);
  EXPECT_DOUBLE_EQ(standard_error(a), 1);  // sqrt(2) / sqrt(2)
  EXPECT_THAT(differences(a, b), ElementsAre(0.5, -0.5));
  EXPECT_DOUBLE_EQ(standard_error(std::vector<double>{7}), 0);
}

TEST(Table, AlignsFiguresToTheRight) {
  Table table({"case", "x"});
  table.add({"default", "95.23"});
  EXPECT_EQ(table.to_text(), "case         x\ndefault  95.23\n");
  EXPECT_EQ(with_sign(0.5, 2), "+0.50");
  EXPECT_EQ(fixed(-1.25, 1), "-1.2");
}

}  // namespace
}  // namespace berth::bench

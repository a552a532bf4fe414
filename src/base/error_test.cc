#include "base/error.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Error, TextHoldsLineFieldAndMessage) {
  Error error{ErrorCode::kInvalid, "is -3; a whole number from 1 to 9 is accepted",
              "roles[0].count", 12};
  EXPECT_EQ(error.to_text(),
            "line 12: roles[0].count: is -3; a whole number from 1 to 9 is accepted");
}

TEST(Error, TextLeavesOutWhatIsUnknown) {
  EXPECT_EQ(invalid("is empty").value().to_text(), "is empty");
}

}  // namespace
}  // namespace berth

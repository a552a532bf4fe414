#include "cli/serve/dev_access.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

bool lets_in(std::vector<std::pair<std::string, std::string>> headers) {
  server::HttpRequest request;
  request.headers = std::move(headers);
  return dev_principal(request).has_value();
}

TEST(DevAccess, PagesOfOtherOriginsAndBorrowedNamesAreRefused) {
  EXPECT_TRUE(lets_in({{"host", "127.0.0.1:7700"}}));
  EXPECT_TRUE(lets_in({{"host", "localhost:7700"}, {"origin", "http://localhost:7700"}}));
  EXPECT_TRUE(lets_in({{"host", "[::1]:7700"}}));
  EXPECT_FALSE(lets_in({{"host", "127.0.0.1:7700"}, {"origin", "https://elsewhere.example"}}));
  EXPECT_FALSE(lets_in({{"host", "127.0.0.1:7700"}, {"origin", "http://127.0.0.1:8080"}}));
  EXPECT_FALSE(lets_in({{"host", "127.0.0.1:7700"}, {"origin", "null"}}));
  EXPECT_FALSE(lets_in({{"host", "rebound.example:7700"}}));
}

}  // namespace
}  // namespace berth::cli

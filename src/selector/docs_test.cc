// docs/selectors.md is true: its examples evaluate, and it names every function.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "selector/check.h"
#include "selector/evaluate.h"
#include "selector/functions.h"
#include "selector/parser.h"
#include "selector/selector.h"
#include "selector/testing.h"

namespace berth::selector {
namespace {

std::string page() {
  std::ifstream file(BERTH_SOURCE_DIR "/docs/selectors.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The second column of the table under "## Examples", as it is shown.
std::vector<std::string> examples() {
  const std::string text = page();
  const std::size_t start = text.find("## Examples");
  const std::string section = text.substr(start, text.find("\n## ", start) - start);
  std::vector<std::string> found;
  for (std::size_t at = section.find(" | `"); at != std::string::npos;
       at = section.find(" | `", at + 1)) {
    std::string source = section.substr(at + 4, section.find("` |\n", at) - at - 4);
    for (std::size_t bar = source.find("\\|"); bar != std::string::npos; bar = source.find("\\|")) {
      source.erase(bar, 1);
    }
    found.push_back(source);
  }
  return found;
}

TEST(SelectorDocs, ExamplesAnswerAndTakeTheStepsThatThePageSays) {
  const Device device = testing::gpu();
  const std::vector<std::string> sources = examples();
  EXPECT_EQ(sources.size(), 10U);
  for (const std::string& source : sources) {
    const auto selector = Selector::compile(source);
    ASSERT_TRUE(selector.has_value()) << source << ": " << selector.error().message;
    const auto matches = selector->matches(device);
    EXPECT_TRUE(matches.has_value()) << source << ": " << matches.error().message;
    const auto checked = check(source, *parse(source));
    Evaluation evaluation(checked->program, device);
    ASSERT_TRUE(evaluation.run().has_value());
    EXPECT_GE(evaluation.steps(), 6U) << source;
    EXPECT_LE(evaluation.steps(), 30U) << source;
  }
}

TEST(SelectorDocs, EveryFunctionIsNamed) {
  const std::string text = page();
  for (const Form form : {Form::kGlobal, Form::kMember}) {
    for (const std::string_view name : function_names(form)) {
      EXPECT_NE(text.find(name), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace berth::selector

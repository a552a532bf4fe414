// Arguments: the words of one command, read with their types.
//
// The first thing that is wrong is remembered and everything after it reads as absent; the caller
// asks once, with finish(), which also refuses words that nobody asked for and names the nearest
// right one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "model/job.h"
#include "model/words.h"

namespace berth::sim {

class Arguments {
 public:
  // Words are separated by blanks; a value in double quotes may hold blanks.
  static Result<Arguments> split(std::string_view text);

  const std::string& verb() const { return verb_; }
  // All that stands behind the verb, as it was written; every word of it counts as used.
  std::string rest_of_line();
  // What stands behind each bare '+', as arguments of its own.
  std::vector<Arguments>& parts() {
    parts_used_ = true;
    return parts_;
  }

  // The next bare word; `what` names it in the message when there is none.
  std::string positional(const std::string& what);
  std::optional<std::string> optional_positional();
  // The next bare word as a name, or several: "m[1-3]" stands for m1, m2, m3.
  std::vector<std::string> names(const std::string& what);
  // All bare words that are left, at least one, each a name or several.
  std::vector<std::string> all_names(const std::string& what);

  // Whether the bare word stands among the arguments.
  bool has_word(const std::string& word);

  std::optional<std::string> text(const std::string& key);
  // Whether the option is there with this very value; only then it counts as used.
  bool is_value(const std::string& key, const std::string& value);
  std::optional<std::int64_t> whole(const std::string& key, std::int64_t low, std::int64_t high);
  std::optional<Mib> memory(const std::string& key);
  std::optional<CpuMilli> cpu(const std::string& key);
  std::optional<DurationMs> duration(const std::string& key);
  // "0.25", "1/4", "25%" of a card, exact; up to `most` cards.
  std::optional<CardUnits> cards(const std::string& key, std::int64_t most);
  std::vector<std::string> list(const std::string& key);   // a,b,c
  std::vector<Countable> amounts(const std::string& key);  // licence:2,disk:10
  template <typename Enum>
  std::optional<Enum> word(const std::string& key) {
    const auto value = text(key);
    if (!value) return std::nullopt;
    const auto found = from_word<Enum>(*value);
    if (!found) refuse_word(key, *value, words_of<Enum>());
    return found;
  }

  // All options that nobody asked for yet; they count as used.
  std::vector<std::pair<std::string, std::string>> rest();

  void refuse(std::string message, std::string field = {});
  // Remembers the error when there is one.
  void check(const Status& status);
  Status finish();

 private:
  struct Option {
    std::string key;
    std::string value;
    bool used = false;
  };
  struct Word {
    std::string text;
    bool used = false;
  };

  static Result<Arguments> of_words(std::span<const std::string> words);
  void refuse_word(const std::string& key, const std::string& value,
                   std::span<const std::string_view> accepted);
  template <typename Parser>
  std::optional<std::int64_t> parsed(const std::string& key, Parser parse);

  std::string line_;  // as it was split
  std::string verb_;
  std::vector<Word> words_;
  std::vector<Option> options_;
  std::vector<std::string> asked_keys_;
  std::vector<std::string> asked_words_;
  std::vector<Arguments> parts_;
  bool parts_used_ = false;
  std::optional<Error> error_;
};

// "m[1-3]" -> m1, m2, m3; "m[08-10]" -> m08, m09, m10; a name without brackets stands for itself.
inline constexpr std::size_t kRangeLimit = 10'000;
Result<std::vector<std::string>> expand_names(const std::string& pattern);

// Whole number of decimal digits with an optional sign; nothing on overflow or other text.
std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace berth::sim

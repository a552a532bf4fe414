#include "sim/scenario/arguments.h"

#include <algorithm>
#include <charconv>

#include "base/nearest.h"
#include "codec/quantity.h"
#include "codec/scalar.h"

namespace berth::sim {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  bool in_quotes = false;
  for (const char c : text) {
    if (c == '"') {
      in_quotes = !in_quotes;
      in_word = true;
    } else if (is_blank(c) && !in_quotes) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_quotes) return invalid("a quote is opened and not closed");
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> items;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    items.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return items;
}

// An amount of a resource, or a time; `most` is kAmountLimit in its unit.
Result<std::int64_t> in_range(Result<std::int64_t> value, const std::string& accepted,
                              const std::string& most) {
  if (!value || (*value >= 0 && *value <= kAmountLimit)) return value;
  return invalid(accepted + (*value < 0 ? ", not negative," : ", at most " + most + ","));
}

Result<codec::Document> scalar(const std::string& text) { return codec::plain_scalar(text); }

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || stop != end) return std::nullopt;
  return value;
}

Result<std::vector<std::string>> expand_names(const std::string& pattern) {
  const std::size_t open = pattern.find('[');
  if (open == std::string::npos) return std::vector<std::string>{pattern};
  const std::size_t dash = pattern.find('-', open);
  const std::size_t close = pattern.find(']', open);
  if (close == std::string::npos || dash == std::string::npos || dash > close) {
    return invalid("'" + pattern + "' is not a range; m[1-24] is accepted");
  }
  const std::string first = pattern.substr(open + 1, dash - open - 1);
  const auto low = whole_number(first);
  const auto high = whole_number(pattern.substr(dash + 1, close - dash - 1));
  if (!low || !high || *low < 0 || *high < *low) {
    return invalid("'" + pattern + "' is not a range; m[1-24] is accepted");
  }
  if (*high - *low >= static_cast<std::int64_t>(kRangeLimit)) {
    return fail(ErrorCode::kLimitExceeded,
                "'" + pattern + "' has more than " + std::to_string(kRangeLimit) + " names");
  }
  std::vector<std::string> names;
  for (std::int64_t i = *low; i <= *high; ++i) {
    std::string number = std::to_string(i);
    if (number.size() < first.size()) number.insert(0, first.size() - number.size(), '0');
    names.push_back(pattern.substr(0, open) + number + pattern.substr(close + 1));
  }
  return names;
}

Result<Arguments> Arguments::split(std::string_view text) {
  auto words = split_words(text);
  if (!words) return tl::unexpected(words.error());
  std::vector<Arguments> parts;
  for (auto from = words->begin();;) {
    const auto end = std::find(from, words->end(), "+");
    auto part = of_words({from, end});
    if (!part) return part;
    parts.push_back(std::move(*part));
    if (end == words->end()) break;
    from = std::next(end);
  }
  Arguments first = std::move(parts.front());
  parts.erase(parts.begin());
  first.parts_ = std::move(parts);
  first.line_ = std::string(text);
  return first;
}

Result<Arguments> Arguments::of_words(std::span<const std::string> words) {
  if (words.empty()) return invalid("a command is needed");
  Arguments arguments;
  arguments.verb_ = words.front();
  for (const std::string& word : words.subspan(1)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      arguments.words_.push_back({word, false});
      continue;
    }
    const std::string key = word.substr(0, equals);
    for (const Option& option : arguments.options_) {
      if (option.key == key) return invalid("is given twice", key);
    }
    arguments.options_.push_back({key, word.substr(equals + 1), false});
  }
  return arguments;
}

std::string Arguments::rest_of_line() {
  for (Word& word : words_) word.used = true;
  for (Option& option : options_) option.used = true;
  parts_used_ = true;
  const std::size_t start = line_.find(verb_) + verb_.size();
  const std::size_t first = std::min(line_.find_first_not_of(" \t", start), line_.size());
  return line_.substr(first);
}

std::string Arguments::positional(const std::string& what) {
  auto word = optional_positional();
  if (!word) refuse(verb_ + " needs " + what);
  return word.value_or("");
}

std::optional<std::string> Arguments::optional_positional() {
  for (Word& word : words_) {
    if (word.used) continue;
    word.used = true;
    return word.text;
  }
  return std::nullopt;
}

std::vector<std::string> Arguments::names(const std::string& what) {
  const std::string pattern = positional(what);
  auto names = expand_names(pattern);
  if (!names) {
    refuse(names.error().message);
    return {};
  }
  return std::move(*names);
}

std::vector<std::string> Arguments::all_names(const std::string& what) {
  std::vector<std::string> all = names(what);
  while (const auto pattern = optional_positional()) {
    auto more = expand_names(*pattern);
    if (!more) {
      refuse(more.error().message);
      break;
    }
    all.insert(all.end(), more->begin(), more->end());
  }
  return all;
}

bool Arguments::has_word(const std::string& word) {
  asked_words_.push_back(word);
  for (Word& w : words_) {
    if (w.used || w.text != word) continue;
    w.used = true;
    return true;
  }
  return false;
}

std::optional<std::string> Arguments::text(const std::string& key) {
  asked_keys_.push_back(key);
  for (Option& option : options_) {
    if (option.key != key) continue;
    option.used = true;
    if (option.value.empty()) refuse("is empty; a value is needed after '='", key);
    return option.value;
  }
  return std::nullopt;
}

bool Arguments::is_value(const std::string& key, const std::string& value) {
  asked_keys_.push_back(key);
  for (Option& option : options_) {
    if (option.key != key || option.value != value) continue;
    option.used = true;
    return true;
  }
  return false;
}

std::optional<std::int64_t> Arguments::whole(const std::string& key, std::int64_t low,
                                             std::int64_t high) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  const auto number = whole_number(*value);
  if (number && *number >= low && *number <= high) return number;
  refuse("is " + codec::shown(*value) + "; a whole number from " + std::to_string(low) + " to " +
             std::to_string(high) + " is accepted",
         key);
  return std::nullopt;
}

template <typename Parser>
std::optional<std::int64_t> Arguments::parsed(const std::string& key, Parser parse) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  const auto document = scalar(*value);
  if (!document) {
    refuse(document.error().message, key);
    return std::nullopt;
  }
  const Result<std::int64_t> number = parse(*document);
  if (!number) {
    refuse("is " + codec::shown(*value) + "; " + number.error().message + " is accepted", key);
    return std::nullopt;
  }
  return *number;
}

std::optional<Mib> Arguments::memory(const std::string& key) {
  return parsed(key, [](const codec::Document& d) {
    return in_range(codec::parse_memory(d), "a memory size such as 80GiB", "1000000000000MiB");
  });
}

std::optional<CpuMilli> Arguments::cpu(const std::string& key) {
  return parsed(key, [](const codec::Document& d) {
    return in_range(codec::parse_cpu(d), "a number of CPUs such as 4 or 500m", "1000000000");
  });
}

std::optional<DurationMs> Arguments::duration(const std::string& key) {
  return parsed(key, [](const codec::Document& d) {
    return in_range(codec::parse_duration(d), "a duration such as 10m", "11574d");
  });
}

std::optional<CardUnits> Arguments::cards(const std::string& key, std::int64_t most) {
  const auto units = parsed(key, [most](const codec::Document& d) -> Result<std::int64_t> {
    auto value = codec::parse_ratio(d, kCard);
    if (!value && most == 1) {
      return invalid("a share of one card such as 25%, 0.25 or 1/4, in whole steps of 1/" +
                     std::to_string(kCard) + ",");
    }
    if (!value || (*value >= 0 && *value <= most * kCard)) return value;
    return invalid("from 0 to " + (most == 1 ? "one card" : std::to_string(most) + " cards"));
  });
  return units;
}

std::vector<std::string> Arguments::list(const std::string& key) {
  const auto value = text(key);
  if (!value) return {};
  std::vector<std::string> items = split_at_commas(*value);
  if (std::any_of(items.begin(), items.end(), [](const std::string& i) { return i.empty(); })) {
    refuse("is '" + *value + "'; a,b,c is accepted", key);
  }
  return items;
}

std::vector<Countable> Arguments::amounts(const std::string& key) {
  std::vector<Countable> amounts;
  for (const std::string& item : list(key)) {
    const std::size_t colon = item.find(':');
    const auto amount =
        colon == std::string::npos ? std::nullopt : whole_number(item.substr(colon + 1));
    if (!amount || *amount < 0 || *amount > kAmountLimit) {
      refuse("is '" + item + "'; NAME:AMOUNT such as licence:2 is accepted", key);
      return {};
    }
    amounts.push_back({item.substr(0, colon), *amount});
  }
  return amounts;
}

std::vector<std::pair<std::string, std::string>> Arguments::rest() {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (Option& option : options_) {
    if (option.used) continue;
    option.used = true;
    pairs.emplace_back(option.key, option.value);
  }
  return pairs;
}

void Arguments::refuse_word(const std::string& key, const std::string& value,
                            std::span<const std::string_view> accepted) {
  refuse("'" + value + "' is not accepted" + suggestion(value, accepted), key);
}

void Arguments::refuse(std::string message, std::string field) {
  if (!error_) error_ = Error{ErrorCode::kInvalid, std::move(message), std::move(field), 0};
}

void Arguments::check(const Status& status) {
  if (!status && !error_) error_ = status.error();
}

Status Arguments::finish() {
  for (const Option& option : options_) {
    if (option.used) continue;
    refuse("'" + option.key + "' is not an option of " + verb_ +
           suggestion(option.key, asked_keys_));
  }
  for (const Word& word : words_) {
    if (word.used) continue;
    std::vector<std::string> accepted = asked_words_;
    accepted.insert(accepted.end(), asked_keys_.begin(), asked_keys_.end());
    refuse("'" + word.text + "' is too much for " + verb_ + suggestion(word.text, accepted));
  }
  if (!parts_.empty() && !parts_used_) refuse("'+' is too much for " + verb_);
  if (error_) return tl::unexpected(*error_);
  for (Arguments& part : parts_) {
    if (auto s = part.finish(); !s) return s;
  }
  return {};
}

}  // namespace berth::sim

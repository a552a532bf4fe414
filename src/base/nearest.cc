#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace berth {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether the text begins with the word, upper and lower case alike.
bool begins_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

// "a, b, c, …"
std::string listed(const std::vector<std::string_view>& words) {
  constexpr std::size_t kNamed = 12;
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < kNamed; ++i) {
    text += (i == 0 ? "" : ", ") + std::string(words[i]);
  }
  return words.size() > kNamed ? text + ", …" : text;
}

std::vector<std::string_view> views_of(std::span<const std::string> words) {
  return {words.begin(), words.end()};
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongestWord = 256;  // longer words are noise, and the table is quadratic
  if (word.size() > kLongestWord) return {};
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return std::string(nearest);
}

std::string nearest_word(std::string_view word, std::span<const std::string> candidates) {
  return nearest_word(word, views_of(candidates));
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kShortest = 3;  // of a word that is taken for the beginning of others
  std::vector<std::string_view> longer;
  for (const std::string_view candidate : candidates) {
    if (word.size() >= kShortest && begins_with(candidate, word)) longer.push_back(candidate);
  }
  if (longer.size() > 1) return "; did you mean one of: " + listed(longer) + "?";
  if (longer.size() == 1) return "; did you mean '" + std::string(longer.front()) + "'?";
  if (const std::string nearest = nearest_word(word, candidates); !nearest.empty()) {
    return "; did you mean '" + nearest + "'?";
  }
  if (candidates.empty()) return "; none is known";
  return "; accepted: " + listed({candidates.begin(), candidates.end()});
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  return suggestion(word, views_of(candidates));
}

}  // namespace berth

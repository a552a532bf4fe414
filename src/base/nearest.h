// The nearest right word, for error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace berth {

// The candidate with the fewest single-letter edits, when at most a third of the word's letters
// (at least two) differ; empty otherwise. First candidate wins a tie.
std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates);
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

// "; did you mean 'x'?" or, without a near candidate, "; accepted: a, b, c" (at most 12 are named);
// without any "; none is known".
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace berth

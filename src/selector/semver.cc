#include "selector/semver.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "selector/source_text.h"

namespace berth::selector {
namespace {

constexpr std::size_t kLongestText = 256;  // bytes

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_numeric(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
}
bool is_identifier(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}
bool has_leading_zero(std::string_view word) { return word.size() > 1 && word[0] == '0'; }

// Takes what stands before the first `mark` off the front of `rest`; all of it without one.
std::string_view take(std::string_view& rest, char mark) {
  const std::size_t end = rest.find(mark);
  const std::string_view word = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return word;
}

std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t number = 0;
  if (!is_numeric(word) || has_leading_zero(word)) return std::nullopt;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// Whether `text` is identifiers with points between them, each accepted by `accepts`.
template <typename Accepts>
bool all_identifiers(std::string_view text, Accepts accepts) {
  for (;;) {
    const std::size_t end = text.find('.');
    if (!accepts(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

std::strong_ordering compare_identifiers(std::string_view a, std::string_view b) {
  const bool a_numeric = is_numeric(a);
  const bool b_numeric = is_numeric(b);
  if (a_numeric != b_numeric) {
    return a_numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  // No leading zeros: the longer number is the larger one.
  if (a_numeric && a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

std::strong_ordering compare_prereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();
  while (!a.empty() && !b.empty()) {
    auto order = compare_identifiers(take(a, '.'), take(b, '.'));
    if (order != 0) return order;
  }
  return !a.empty() <=> !b.empty();
}

tl::unexpected<Error> no_version(std::string_view text) {
  return invalid(quoted(text) +
                 " is not a semantic version; 'major.minor.patch' is accepted, "
                 "with '-prerelease' and '+build' behind it, such as '550.54.15'");
}

std::string without_leading_zeros(std::string_view part) {
  if (part.size() < 2) return std::string(part);
  const std::size_t first = part.find_first_not_of('0');
  const std::string rest(first == std::string_view::npos ? "" : part.substr(first));
  return rest.empty() || !is_digit(rest[0]) ? "0" + rest : rest;
}

}  // namespace

Result<Semver> Semver::parse(std::string_view text) {
  if (text.size() > kLongestText) return no_version(text);
  Semver version;
  std::string_view rest = text;
  const std::size_t plus = rest.find('+');
  if (plus != std::string_view::npos) {
    version.build = rest.substr(plus + 1);
    rest = rest.substr(0, plus);
    if (!all_identifiers(version.build, is_identifier)) return no_version(text);
  }
  const std::size_t minus = rest.find('-');
  if (minus != std::string_view::npos) {
    version.prerelease = rest.substr(minus + 1);
    rest = rest.substr(0, minus);
    const auto accepts = [](std::string_view word) {
      return is_identifier(word) && !(is_numeric(word) && has_leading_zero(word));
    };
    if (!all_identifiers(version.prerelease, accepts)) return no_version(text);
  }
  const auto major = number_of(take(rest, '.'));
  const auto minor = number_of(take(rest, '.'));
  const auto patch = number_of(rest);
  if (!major || !minor || !patch) return no_version(text);
  version.major = *major;
  version.minor = *minor;
  version.patch = *patch;
  return version;
}

Result<Semver> Semver::parse_normalized(std::string_view text) {
  if (text.size() > kLongestText) return no_version(text);
  std::string_view rest = text.starts_with('v') ? text.substr(1) : text;
  std::vector<std::string> parts;
  for (int i = 0; i < 2 && rest.find('.') != std::string_view::npos; ++i) {
    parts.push_back(without_leading_zeros(take(rest, '.')));
  }
  parts.push_back(without_leading_zeros(rest));
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return no_version(text);
  }
  parts.resize(3, "0");
  auto version = parse(parts[0] + "." + parts[1] + "." + parts[2]);
  if (!version) return no_version(text);
  return version;
}

std::strong_ordering operator<=>(const Semver& a, const Semver& b) {
  if (a.major != b.major) return a.major <=> b.major;
  if (a.minor != b.minor) return a.minor <=> b.minor;
  if (a.patch != b.patch) return a.patch <=> b.patch;
  return compare_prereleases(a.prerelease, b.prerelease);
}

}  // namespace berth::selector

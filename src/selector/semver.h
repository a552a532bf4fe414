// Semver: a version as semver.org 2.0.0 defines it, with its order.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace berth::selector {

struct Semver {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::string prerelease;  // "rc.1"; empty for a release
  std::string build;       // takes no part in the order

  // The strict form: three numbers without leading zeros.
  static Result<Semver> parse(std::string_view text);
  // Also "v1", "1.2" and "01.02.03", as the second argument of semver() asks for in Kubernetes.
  static Result<Semver> parse_normalized(std::string_view text);

  // By precedence: a pre-release comes before its release, build data does not count.
  friend std::strong_ordering operator<=>(const Semver& a, const Semver& b);
  friend bool operator==(const Semver& a, const Semver& b) { return (a <=> b) == 0; }
};

}  // namespace berth::selector

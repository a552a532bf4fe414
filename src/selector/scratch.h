// Scratch: the memory and the steps of one evaluation.
//
// Steps bound time and memory alike, because whatever is made or read is paid for first. They are
// counted, not measured: the same expression on the same device takes the same steps everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "selector/value.h"

namespace berth::selector {

// Kubernetes' limit for one selector on one device (resource/v1 CELSelectorExpressionMaxCost).
inline constexpr std::uint64_t kStepLimit = 1'000'000;
// Bytes that are read, compared or made in one step; Kubernetes counts 10.
inline constexpr std::uint64_t kBytesPerStep = 16;

class Scratch {
 public:
  // An error once the limit is passed; from then on nothing more may be evaluated (see exhausted).
  Status spend(std::uint64_t steps) {
    if (steps <= kStepLimit - spent_) {
      spent_ += steps;
      return {};
    }
    spent_ = kStepLimit;
    exhausted_ = true;
    return out_of_steps();
  }
  Status spend_bytes(std::size_t bytes) { return spend(bytes / kBytesPerStep); }

  // An error while this is true is final: && and || must not absorb it.
  bool exhausted() const { return exhausted_; }
  std::uint64_t spent() const { return spent_; }

  // What is kept lives as long as this; the caller has paid for it.
  std::string_view keep(std::string text) { return texts_.emplace_front(std::move(text)); }
  const List* keep(List list) { return &lists_.emplace_front(std::move(list)); }
  const Map* keep(Map map) { return &maps_.emplace_front(std::move(map)); }
  const Semver* keep(Semver version) { return &versions_.emplace_front(std::move(version)); }
  Optional keep_optional(const Value& content) { return {&values_.emplace_front(content)}; }

 private:
  static tl::unexpected<Error> out_of_steps();

  std::uint64_t spent_ = 0;
  bool exhausted_ = false;
  std::forward_list<std::string> texts_;
  std::forward_list<List> lists_;
  std::forward_list<Map> maps_;
  std::forward_list<Semver> versions_;
  std::forward_list<Value> values_;
};

}  // namespace berth::selector

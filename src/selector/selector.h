// Selector: an expression in a subset of CEL that says whether a device matches, with the meaning
// that it has in Kubernetes (DRA). docs/selectors.md is the page for users.
//
//   const auto selector = Selector::compile("device.driver == 'gpu.example.com'");
//   const auto fits = selector->matches(device);   // true, false, or an error
//
// An error is never a `false`: who asks for a device has to be told. Evaluation is deterministic,
// bounded in steps, memory and recursion, and may run in several threads at the same time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "selector/device.h"
#include "selector/reads.h"

namespace berth::selector {

struct Program;

class Selector {
 public:
  // Refuses what can be known to be wrong without a device: syntax, unknown names, functions that
  // are not supported, types that never fit, bad literals, a result that is not bool. Messages
  // begin with the place, such as "column 12: ...". ErrorCode::kLimitExceeded: too long or too
  // deep.
  static Result<Selector> compile(std::string_view source);

  // ErrorCode::kNotFound: the device lacks an attribute, a capacity or an element that was asked
  // for; kLimitExceeded: too many steps; kInvalid: anything else, such as types that do not fit.
  Result<bool> matches(const Device& device) const;

  const std::string& source() const;
  // The attributes that the answer may depend on.
  AttributeReads reads() const;

 private:
  explicit Selector(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;  // shared by all copies, never null
};

}  // namespace berth::selector

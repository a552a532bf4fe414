// Error and Result<T>: how every fallible function of Berth answers.
//
// An Error is made for a person: it says what is wrong, which value it was and what would be
// accepted, and at which field of which input. It is never logged where it is made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace berth {

// A code exists only where some caller reacts differently to it.
enum class ErrorCode : std::uint8_t {
  kInvalid,        // the input is wrong and stays wrong
  kNotFound,       // the named thing does not exist
  kConflict,       // the state forbids it now
  kLimitExceeded,  // too large, too deep, too many
  kUnavailable,    // a dependency failed; trying again may help
  kCorrupt,        // stored bytes are not what was written
};

std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInvalid;
  std::string message;  // what, which value, what would be accepted
  std::string field;    // path such as "roles[0].count"; empty when the whole input is meant
  int line = 0;         // 1-based line of the input text; 0 when there is none

  // "line 12: roles[0].count: is -3; a whole number from 1 to 1000000 is accepted"
  std::string to_text() const;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string field = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(field), 0});
}
inline tl::unexpected<Error> invalid(std::string message, std::string field = {}) {
  return fail(ErrorCode::kInvalid, std::move(message), std::move(field));
}

}  // namespace berth

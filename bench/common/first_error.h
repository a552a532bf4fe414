// FirstError: what went wrong first among runs that go on side by side.
#pragma once

#include <mutex>
#include <optional>

namespace berth::bench {

template <typename Error>
class FirstError {
 public:
  void note(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
  }
  std::optional<Error> get() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace berth::bench

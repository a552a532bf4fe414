#include "server/questions.h"

#include <string>
#include <utility>

namespace berth::server {

Questions::Questions() : thread_([this] { work(); }) {}

Questions::~Questions() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

Status Questions::ask(std::function<void()> question) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) {
      return fail(ErrorCode::kUnavailable,
                  std::to_string(waiting_.size()) + " questions wait already; ask again later");
    }
    waiting_.push_back(std::move(question));
  }
  wake_.notify_one();
  return {};
}

void Questions::work() {
  while (true) {
    std::function<void()> question;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (is_ending_) return;
      question = std::move(waiting_.front());
      waiting_.pop_front();
    }
    question();
  }
}

}  // namespace berth::server

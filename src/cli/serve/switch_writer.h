// SwitchWriter: the API's commands go to the loop of this process while it leads, and are refused
// while it does not.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "control/control_loop.h"
#include "server/service.h"

namespace berth::cli {

class SwitchWriter final : public server::Writer {
 public:
  void post(Command command, Answer answer) override {
    const std::shared_ptr<control::ControlLoop> loop = this->loop();
    if (loop != nullptr) return loop->post(std::move(command), std::move(answer));
    answer(fail(ErrorCode::kUnavailable, "this server does not lead; ask again"));
  }
  // Null: it does not lead any more. Commands under way are answered by the loop itself.
  void lead(std::shared_ptr<control::ControlLoop> loop) {
    const std::lock_guard lock(mutex_);
    loop_ = std::move(loop);
  }
  std::shared_ptr<control::ControlLoop> loop() const {
    const std::lock_guard lock(mutex_);
    return loop_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<control::ControlLoop> loop_;
};

}  // namespace berth::cli

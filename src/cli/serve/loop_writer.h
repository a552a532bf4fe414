// LoopWriter: the API's commands go to the loop of this process.
#pragma once

#include "control/control_loop.h"
#include "server/service.h"

namespace berth::cli {

class LoopWriter final : public server::Writer {
 public:
  explicit LoopWriter(control::ControlLoop& loop) : loop_(loop) {}
  void post(Command command, Answer answer) override {
    loop_.post(std::move(command), std::move(answer));
  }

 private:
  control::ControlLoop& loop_;
};

}  // namespace berth::cli

#include "selector/scratch.h"

namespace berth::selector {

tl::unexpected<Error> Scratch::out_of_steps() {
  return fail(
      ErrorCode::kLimitExceeded,
      "takes more than " + std::to_string(kStepLimit) +
          " steps; at most that many are accepted, so ask for less or go over smaller lists");
}

}  // namespace berth::selector

#include "engine/state/policies.h"

#include <algorithm>

#include "model/serial.h"

namespace berth::engine {

void Policies::save(ByteWriter& out) const {
  serial::write(out, everywhere_);
  serial::write(out, is_set_);
  out.u8(before_ == nullptr ? 0 : 1);
  if (before_ != nullptr) serial::write(out, before_);
  serial::write(out, trials_);
}

// Format 6 had the one that holds everywhere.
void Policies::load(ByteReader& in) {
  serial::read(in, everywhere_);
  shown_ = everywhere_.get();
  is_set_ = true;
  if (in.format() < 7) return;
  serial::read(in, is_set_);
  const std::uint8_t has_before = in.u8();
  if (has_before > 1) in.reject();
  if (has_before == 1) serial::read(in, before_);
  serial::read(in, trials_);
}

bool Policies::all_of(bool (*test)(const PolicySpec&)) const {
  return test(*everywhere_) && (before_ == nullptr || test(*before_)) &&
         std::all_of(trials_.begin(), trials_.end(),
                     [test](const auto& trial) { return test(*trial.second); });
}

}  // namespace berth::engine

// ReportIntake: which reports of an agent are on their way into the journal, so that one that comes
// again is counted once and an acknowledgement never says more than is committed. The numbers are
// those of one instance of the agent; they grow, and may have gaps, so that after one that was
// given back nothing is taken before a new session, which begins with all that is not acknowledged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

namespace berth::server {

enum class Arrival : std::uint8_t { kNew, kRepeated };

class ReportIntake {
 public:
  // A session begins; numbers of another instance are counted anew.
  void begin(const std::string& instance);
  Arrival take(std::uint64_t number);
  // It is in the journal, or will never be.
  void settle(std::uint64_t number) { under_way_.erase(number); }
  // It could not be committed, and is to come again.
  void give_back(std::uint64_t number);
  // Of the instance that counts now; a late answer for another one means nothing.
  const std::string& instance() const { return instance_; }
  // All up to it is settled; what was given back is not, though later ones are under way.
  std::uint64_t settled() const {
    return under_way_.empty() ? last_ : std::min(last_, *under_way_.begin() - 1);
  }

 private:
  std::string instance_;
  std::uint64_t last_ = 0;  // the highest that was taken
  std::set<std::uint64_t> under_way_;
  bool awaits_session_ = false;
};

}  // namespace berth::server

#include "server/agents/report_intake.h"

#include <algorithm>

namespace berth::server {

void ReportIntake::begin(const std::string& instance) {
  awaits_session_ = false;
  if (instance == instance_) return;
  instance_ = instance;
  last_ = 0;
  under_way_.clear();
}

Arrival ReportIntake::take(std::uint64_t number) {
  if (awaits_session_ || number <= last_) return Arrival::kRepeated;
  last_ = number;
  return under_way_.insert(number).second ? Arrival::kNew : Arrival::kRepeated;
}

void ReportIntake::give_back(std::uint64_t number) {
  under_way_.erase(number);
  last_ = std::min(last_, number - 1);
  awaits_session_ = true;
}

}  // namespace berth::server

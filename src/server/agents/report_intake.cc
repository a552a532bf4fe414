#include "server/agents/report_intake.h"

#include <algorithm>

namespace berth::server {

void ReportIntake::begin(const std::string& instance) {
  if (instance == instance_) return;
  instance_ = instance;
  last_ = 0;
  under_way_.clear();
}

Arrival ReportIntake::take(std::uint64_t number) {
  if (number <= last_ || under_way_.contains(number)) return Arrival::kRepeated;
  last_ = number;
  under_way_.insert(number);
  return Arrival::kNew;
}

void ReportIntake::give_back(std::uint64_t number) {
  under_way_.erase(number);
  last_ = std::min(last_, number - 1);
}

}  // namespace berth::server

// The explicit table of what the API answers; each group is declared in the file named after it.
#pragma once

#include <vector>

#include "server/operation.h"

namespace berth::server {

std::vector<Operation> job_operations();
std::vector<Operation> question_operations();
std::vector<Operation> fleet_operations();
std::vector<Operation> queue_operations();
std::vector<Operation> event_operations();
std::vector<Operation> token_operations();
std::vector<Operation> process_operations();

// All of them, once.
const std::vector<Operation>& operations();

// Parameters that lists share: limit and after.
std::vector<ParameterInfo> page_parameters(std::vector<ParameterInfo> more);

}  // namespace berth::server

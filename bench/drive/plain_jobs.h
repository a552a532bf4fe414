// Jobs and nodes of the comparisons that know nothing but cards: a job is whole nodes and one more
// task for what is left over.
#pragma once

#include <string>

#include "model/fleet.h"
#include "model/job.h"

namespace berth::bench {

inline constexpr const char* kPlainModel = "card";
inline constexpr Mib kPlainCardMib = 80 * 1024;

JobSpecPtr plain_job(const std::string& queue, int cards, int cards_per_node);
// Its CPUs and memory never bind.
NodeSpec plain_node(const std::string& name, int cards);

}  // namespace berth::bench

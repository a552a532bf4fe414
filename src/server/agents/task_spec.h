// A lease and the spec of its job as the agent of its node gets them.
#pragma once

#include <string>

#include "agent/core/messages.h"
#include "model/job.h"
#include "model/lease.h"

namespace berth::server {

inline agent::LeaseKey key_of(const Lease& lease) { return {lease.id, lease.epoch}; }
// `node`: by its name.
agent::Grant grant_of(const Lease& lease, std::string node, const JobSpec& spec);

}  // namespace berth::server

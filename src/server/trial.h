// A job that is only tried: what it would be with all defaults, and where it would land now.
#pragma once

#include "codec/job_codec.h"
#include "server/call.h"

namespace berth::server {

void try_job(const CallPtr& call, codec::JobFile job);

}  // namespace berth::server

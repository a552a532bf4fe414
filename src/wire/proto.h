// The messages of agents and servers in their form on the wire, and back. What is read is held to
// the limits of the model before anybody acts on it; an error names the field.
//
// It owns no stream and knows nothing of gRPC's.
#pragma once

#include <berth/agent/v1/agent.pb.h>

#include "agent/core/messages.h"
#include "base/error.h"

namespace berth::wire {

// A message on a session is refused beyond this: 1,024 leases and a node's inventory are below a
// tenth of it, a task with 64 containers too.
inline constexpr int kMessageBytesLimit = 4 * 1024 * 1024;

::berth::agent::v1::FromAgent to_proto(const agent::FromAgent& message);
::berth::agent::v1::FromServer to_proto(const agent::FromServer& message);
Result<agent::FromAgent> from_proto(const ::berth::agent::v1::FromAgent& message);
Result<agent::FromServer> from_proto(const ::berth::agent::v1::FromServer& message);

}  // namespace berth::wire

// The fleet of a sample and its tenants, as declared to the engine: each tenant is a queue whose
// guarantee is its own nodes.
#pragma once

#include "base/error.h"
#include "bench/drive/engine_drive.h"
#include "bench/tenants/protocol.h"
#include "model/policy.h"

namespace berth::bench::tenants {

Status declare_tenants(const Sample& sample, const PolicySpec& policy, EngineDrive& drive);

}  // namespace berth::bench::tenants

#include "codec/described.h"

#include "codec/fleet_codec.h"
#include "codec/gpu_model_codec.h"
#include "codec/job_codec.h"
#include "codec/policy_codec.h"

namespace berth::codec {

std::vector<const SchemaInfo*> described_objects() {
  return {
      &Describe<JobFile>::info(), &Describe<FleetFile>::info(), &Describe<PolicySpec>::info(),
      &Describe<MixFile>::info(), &Describe<GpuModel>::info(),
  };
}

}  // namespace berth::codec

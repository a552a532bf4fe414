// All runs of the comparison: every policy on the same sample of each case and order.
// Owns: which runs there are and their results. Must never judge or print them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench/drive/engine_drive.h"
#include "bench/tenants/outcome.h"
#include "bench/tenants/protocol.h"
#include "model/policy.h"

namespace berth::bench::tenants {

inline constexpr const char* kAlone = "private_fifo";  // what tenants are held against
inline constexpr const char* kEngine = "berth";

// What reclaims of a run came to.
struct Taken {
  double evictions = 0;
  double redone_gpu_h = 0;
  double overhead_gpu_h = 0;
};

struct CaseResult {
  std::string name;
  std::map<std::string, std::vector<Outcome>> outcomes;  // by policy, then order
  std::vector<EngineCost> costs;                         // by order
  std::vector<Taken> taken;                              // by order; empty: nothing ever is
  // Jobs of order 0 that start at another time when the tenants exchange their names.
  std::size_t changed_by_names = 0;
};

struct Input {
  const Trace& trace;
  std::vector<CaseSpec> cases;
  std::vector<std::string> policies;  // kAlone is among them
  PolicySpec policy;                  // of the engine
  PolicySpec reclaim_policy;          // where it takes back
  std::size_t orders = 1 + kJittered;
};

// The plain rules, then the engine.
std::vector<std::string> policy_names();

// `step` is told what has ended, from several threads; it is called step_count() times.
std::size_t step_count(const Input& input);
Result<std::vector<CaseResult>> compare(const Input& input,
                                        const std::function<void(const std::string&)>& step);

}  // namespace berth::bench::tenants

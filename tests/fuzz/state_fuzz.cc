// A saved state of arbitrary bytes is refused with a message or loaded; what is loaded is written
// again byte for byte if it has the present format, and can be planned on without being changed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/cycle/engine.h"
#include "model/format.h"

namespace {

constexpr std::uint32_t kTasks = 1000;  // of all waiting jobs; more make a plan too slow to fuzz

// Jobs that wait and ask for few tasks.
bool is_cheap(const berth::engine::ClusterState& state) {
  std::uint64_t tasks = 0;
  for (const berth::JobId id : state.pending().sorted_ids()) {
    tasks += state.spec_of(*state.find_job(id)).tasks;
  }
  return tasks <= kTasks;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using berth::engine::ClusterState;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto state = ClusterState::load(bytes);
  if (!state) {
    if (state.error().message.empty()) std::abort();
    return 0;
  }
  const std::string saved = state->save();
  const bool is_present = static_cast<std::uint64_t>(bytes.front()) == berth::kFormat;
  if (is_present && saved != bytes) std::abort();
  if (!is_cheap(*state)) return 0;
  berth::engine::Engine engine(std::move(*state));
  const auto plan = engine.plan(engine.state().now());
  engine.commit(plan, engine.state().now());
  if (engine.state().save() != saved) std::abort();
  return 0;
}

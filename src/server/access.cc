#include "server/access.h"

#include "server/make_views.h"

namespace berth::server {

bool covers(const Principal& who, const engine::ClusterState& state, std::string_view queue) {
  if (who.queue.empty()) return true;
  return is_under(state, state.find_queue(queue), who.queue);
}

}  // namespace berth::server

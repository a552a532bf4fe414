#include "server/agents/task_spec.h"

#include <utility>

#include "base/check.h"

namespace berth::server {

agent::Grant grant_of(const Lease& lease, std::string node, const JobSpec& spec) {
  BERTH_CHECK(lease.placement.role < spec.roles.size());
  const Role& role = spec.roles[lease.placement.role];
  agent::Grant grant;
  grant.key = key_of(lease);
  grant.term = lease.term;
  grant.job = lease.job;
  grant.role = lease.placement.role;
  grant.task = lease.placement.task;
  grant.node = std::move(node);
  grant.cards = lease.placement.grants;
  grant.spec.job_class = spec.job_class;
  grant.spec.role = role.name;
  grant.spec.tasks = role.count;
  grant.spec.min_tasks = role.min_tasks();
  grant.spec.containers = role.containers;
  for (Container& container : grant.spec.containers) {
    const std::uint32_t count = container.devices.count;
    container.devices = {};  // which they are the grant says
    container.devices.count = count;
  }
  grant.spec.checkpoint = spec.checkpoint;
  grant.spec.run_time_ms = spec.run_time_ms;
  grant.spec.start_timeout_ms = spec.start_timeout_ms;
  grant.spec.at_most_once_ms = spec.at_most_once_ms;
  return grant;
}

}  // namespace berth::server

#include "server/trial.h"

#include <algorithm>

#include "server/page.h"
#include "server/questions.h"
#include "server/redaction.h"
#include "sim/scenario/wording.h"

namespace berth::server {
namespace {

using codec::Document;

// Submitted to a copy and planned there, as the next cycle would. `root`: of what the caller sees.
Result<Document> tried(engine::Engine engine, const codec::JobFile& job, TimeMs now,
                       const std::string& root) {
  const std::string& name = job.name;
  auto submitted = engine.decide(
      {SubmitJob{name, std::make_shared<const JobSpec>(static_cast<const JobSpec&>(job))}, {}, {}},
      now);
  if (!submitted) return tl::unexpected(submitted.error());
  for (const Event& event : *submitted) engine.apply(event);
  for (const Event& event : engine.commit(engine.plan(now), now).events) engine.apply(event);
  const engine::ClusterState& state = engine.state();
  const engine::JobRecord& record = *state.find_job(name);
  const Visibility sight(root, state);
  std::vector<TaskPlacement> places;
  for (const LeaseId id : record.leases) places.push_back(state.find_lease(id)->placement);
  Document reasons = Document::list();
  if (places.empty()) {
    for (const Rejection& reason : engine.why(record.id, now)) {
      reasons.append(Document::string(sight.shown(reason).to_text()));
    }
  }
  Document map = Document::map();
  map.add("job", codec::to_document(job, codec::WriteStyle::kFull));
  map.add("starts_now", Document::boolean(!places.empty()));
  map.add("place", places.empty() ? Document() : Document::string(sim::place_text(state, places)));
  map.add("reasons", std::move(reasons));
  return map;
}

}  // namespace

void try_job(const CallPtr& call, codec::JobFile job) {
  const Status asked = call->service().questions.ask([call, job = std::move(job)] {
    auto [engine, now] = call->service().replica.read([](const Reading& reading) {
      return std::pair(engine::Engine(engine::ClusterState(reading.state())), reading.now);
    });
    const auto document = tried(std::move(engine), job, now, call->who().queue);
    if (!document) return call->refuse(document.error());
    call->answer(200, *document);
  });
  if (!asked) call->refuse(asked.error());
}

}  // namespace berth::server

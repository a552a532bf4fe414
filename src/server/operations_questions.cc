// Questions: why a job waits, who waits, what commands would change, receipts of reclaims.
#include <algorithm>

#include "server/make_views.h"
#include "server/operations.h"
#include "server/page.h"
#include "server/questions.h"
#include "server/receipts_answer.h"
#include "server/what_if_answer.h"
#include "server/why_answer.h"

namespace berth::server {

// The body of a what-if.
struct WhatIfRequest {
  std::vector<std::string> commands;
  DurationMs horizon_ms = 0;
  friend bool operator==(const WhatIfRequest&, const WhatIfRequest&) = default;
};

}  // namespace berth::server

namespace berth::codec {
template <>
struct Describe<server::WhatIfRequest> : Described<server::WhatIfRequest> {
  static const ObjectSchema<server::WhatIfRequest>& schema() {
    static const ObjectSchema<server::WhatIfRequest> kSchema = [] {
      ObjectSchema<server::WhatIfRequest> s("what_if", "Commands that are only tried.");
      s.field("commands", &server::WhatIfRequest::commands, list_of(text(4096)).sized(1, 100))
          .required()
          .text("Commands as in scenarios, such as 'drain n1' or 'submit x gpus=8'.");
      s.field("for", &server::WhatIfRequest::horizon_ms, duration(0, 365LL * 24 * kHourMs))
          .member("horizon_ms")
          .when_absent("until nothing is on its way, at most 1h")
          .text("How long it is played after the commands.");
      return s;
    }();
    return kSchema;
  }
};
}  // namespace berth::codec

namespace berth::server {
namespace {

using codec::Document;

// A cluster to ask: a copy that nobody else sees.
class Copy {
 public:
  // `replica` must outlive it.
  Copy(const Reading& reading, Replica& replica, const std::vector<GpuModel>& catalog)
      : engine_(engine::ClusterState(reading.state())),
        learner_(reading.learner),
        replica_(replica),
        catalog_(catalog),
        now_(reading.now) {}

  AskedPlace place() {
    return {engine_.state(),
            now_,
            [this](JobId job) { return engine_.why(job, now_); },
            [this](JobId job) { return engine::look_ahead(engine_, job, now_); },
            [this](JobId job) { return engine::find_fixes(engine_, job, now_); },
            [this](const std::string& job) -> Result<bool> {
              if (engine_.state().find_job(job) != nullptr) return true;
              return replica_.read(
                  [&](const Reading& reading) { return reading.history.find(job) != nullptr; });
            },
            catalog_,
            {engine_.state(), now_, learner_, control::FastPath::kInference, nullptr}};
  }

 private:
  engine::Engine engine_;
  control::FitLearner learner_;
  Replica& replica_;  // knows the jobs that have ended
  const std::vector<GpuModel>& catalog_;
  TimeMs now_;
};

using Question = std::function<Result<Told>(const AskedPlace& place)>;

// Answers on a copy, on the thread of questions: the document with the text for people beside it.
void ask(const CallPtr& call, Question question) {
  const Status asked = call->service().questions.ask([call, question = std::move(question)] {
    auto copy = call->service().replica.read([&](const Reading& reading) {
      return std::make_shared<Copy>(reading, call->service().replica, call->service().catalog);
    });
    auto told = question(copy->place());
    if (!told) return call->refuse(told.error());
    Document map = Document::map();
    map.add("answer", std::move(told->document));
    map.add("text", Document::string(std::move(told->text)));
    call->answer(map);
  });
  if (!asked) call->refuse(asked.error());
}

// What belongs to others is not there.
Status check_own(const Call& call, const AskedPlace& place, const std::string& job) {
  const engine::JobRecord* record = place.state.find_job(job);
  if (record == nullptr ||
      covers(call.who(), place.state, place.state.spec_of(*record).spec->queue)) {
    return {};
  }
  return fail(ErrorCode::kNotFound, "there is no job '" + job + "'", "name");
}

void explain_job(const CallPtr& call) {
  const std::string name = call->path("name");
  ask(call, [call, name](const AskedPlace& place) -> Result<Told> {
    if (auto s = check_own(*call, place, name); !s) return tl::unexpected(s.error());
    return answer_why(place, name);
  });
}

void list_waiting_jobs(const CallPtr& call) {
  ask(call, [](const AskedPlace& place) -> Result<Told> { return list_waiting(place); });
}

void what_if(const CallPtr& call) {
  auto request = call->body<WhatIfRequest>();
  if (!request) return call->refuse(request.error());
  std::vector<sim::WhatIfCommand> commands;
  for (std::size_t i = 0; i < request->commands.size(); ++i) {
    commands.push_back({"commands[" + std::to_string(i) + "]", request->commands[i]});
  }
  if (auto s = sim::check_what_if(commands); !s) return call->refuse(s.error());
  std::optional<DurationMs> horizon;
  if (request->horizon_ms > 0) horizon = request->horizon_ms;
  ask(call, [commands, horizon](const AskedPlace& place) -> Result<Told> {
    const auto answer = sim::what_if(place.catalog, place.moment, commands, horizon);
    if (!answer) return tl::unexpected(answer.error());
    return told(*answer);
  });
}

// Whether the caller may see what its beneficiary or a victim is.
bool concerns(const Call& call, const engine::ClusterState& state, const Reclaim& reclaim) {
  if (call.who().queue.empty()) return true;
  const auto is_own = [&](JobId id) {
    const engine::JobRecord* job = state.find_job(id);
    return job != nullptr && covers(call.who(), state, state.spec_of(*job).spec->queue);
  };
  return is_own(reclaim.beneficiary) ||
         std::any_of(reclaim.victims.begin(), reclaim.victims.end(),
                     [&](const Victim& victim) { return is_own(victim.job); });
}

void list_plans(const CallPtr& call) {
  const auto job = call->query("job");
  const auto document = call->service().replica.read([&](const Reading& reading) {
    Page page;
    page.revision = reading.state().revision();
    for (const auto& [id, record] : reading.state().ledger().receipts) {
      const Reclaim& reclaim = *record.reclaim;
      const bool is_asked = !job || reclaim.name == *job ||
                            std::any_of(reclaim.victims.begin(), reclaim.victims.end(),
                                        [&](const Victim& victim) { return victim.name == *job; });
      if (!is_asked || !concerns(*call, reading.state(), reclaim)) continue;
      page.items.append(receipt_document(reading.state(), record));
    }
    return page_document(std::move(page));
  });
  call->answer(document);
}

void show_plans(const CallPtr& call) {
  ask(call,
      [job = call->query("job")](const AskedPlace& place) { return answer_receipts(place, job); });
}

}  // namespace

std::vector<Operation> question_operations() {
  using Kind = ParameterInfo::Kind;
  using Answers = Operation::Answers;
  const std::vector<ParameterInfo> job = {
      {"job", "Only receipts in which this job has a part.", Kind::kText}};
  return {{"explainJob", "GET", "/v1/jobs/{name}/why",
           "Why a job waits, when it could start, and the smallest changes that would start it: "
           "`answer` for programs, `text` for people.",
           Need::kSeeTenants, explain_job},
          {"listWaiting", "GET", "/v1/waiting",
           "Who waits, with the primary reason of each: `answer` and `text`.", Need::kOperate,
           list_waiting_jobs},
          {"whatIf",
           "POST",
           "/v1/what-if",
           "What commands would change, against the same time without them; nothing is changed: "
           "`answer` and `text`.",
           Need::kOperate,
           what_if,
           {},
           schema_of<WhatIfRequest>()},
          {"listPlans", "GET", "/v1/plans", "Receipts of reclaims: the open ones and the last.",
           Need::kSeeTenants, list_plans, job, nullptr, nullptr, Answers::kList},
          {"showPlans", "GET", "/v1/plans/text", "The same as `answer` and `text` for people.",
           Need::kOperate, show_plans, job}};
}

}  // namespace berth::server

// Questions: why a job waits, who waits, what commands would change, receipts of reclaims.
#include <algorithm>

#include "server/operations.h"
#include "server/page.h"
#include "server/questions.h"
#include "server/receipt_view.h"
#include "server/receipts_answer.h"
#include "server/redaction.h"
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
  // `service` must outlive it. `root`: of what the caller may see.
  Copy(const Reading& reading, Service& service, std::string root)
      : engine_(engine::ClusterState(reading.state())),
        learner_(reading.learner),
        replica_(service.replica),
        catalog_(service.catalog),
        now_(reading.now),
        sight_(std::move(root), engine_.state(), [this](JobId job) { return queue_of(job); }) {}
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  AskedPlace place() {
    return {engine_.state(),
            now_,
            [this](JobId job) { return engine_.why(job, now_); },
            [this](JobId job) { return engine::look_ahead(engine_, job, now_); },
            [this](JobId job) { return engine::find_fixes(engine_, job, now_); },
            [this](const std::string& job) -> Result<bool> { return has_seen(job); },
            catalog_,
            {engine_.state(), now_, learner_, control::FastPath::kInference, nullptr},
            sight_};
  }

 private:
  // Of a job that has ended; empty: it is not known.
  std::string queue_of(JobId job) const {
    return replica_.read([&](const Reading& reading) {
      const EndedJob* ended = reading.history.find(job);
      return ended == nullptr ? std::string() : ended->spec->queue;
    });
  }
  bool has_seen(const std::string& name) const {
    const engine::JobRecord* job = engine_.state().find_job(name);
    if (job != nullptr && sight_.sees(job->id)) return true;
    return replica_.read([&](const Reading& reading) {
      const EndedJob* ended = reading.history.find(name);
      return ended != nullptr && sight_.covers(ended->spec->queue);
    });
  }

  engine::Engine engine_;
  control::FitLearner learner_;
  Replica& replica_;  // knows the jobs that have ended
  const std::vector<GpuModel>& catalog_;
  TimeMs now_;
  Visibility sight_;
};

using Question = std::function<Result<Told>(const AskedPlace& place)>;

// Answers on a copy, on the thread of questions: the document with the text for people beside it.
void ask(const CallPtr& call, Question question) {
  const Status asked = call->service().questions.ask([call, question = std::move(question)] {
    auto copy = call->service().replica.read([&](const Reading& reading) {
      return std::make_shared<Copy>(reading, call->service(), call->who().queue);
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

void explain_job(const CallPtr& call) {
  const std::string name = call->path("name");
  ask(call, [name](const AskedPlace& place) { return answer_why(place, name); });
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

void list_plans(const CallPtr& call) {
  const auto job = call->query("job");
  const auto document = call->service().replica.read([&](const Reading& reading) {
    const Visibility sight(call->who(), reading);
    Page page;
    page.revision = reading.state().revision();
    for (const auto& [id, record] : reading.state().ledger().receipts) {
      if (!sight.concerns(*record.reclaim, job)) continue;
      page.items.append(codec::to_document(receipt_view(reading.state(), record, sight)));
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
           "Who waits, with the primary reason of each: `answer` and `text`.", Need::kSeeTenants,
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
           Need::kSeeTenants, list_plans, job, nullptr, schema_of<ReceiptView>(), Answers::kList},
          {"showPlans", "GET", "/v1/plans/text", "The same as `answer` and `text` for people.",
           Need::kSeeTenants, show_plans, job}};
}

}  // namespace berth::server

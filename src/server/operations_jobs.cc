// Jobs: submit, list, look at, cancel, hold, release, resize.
#include <algorithm>

#include "base/nearest.h"
#include "codec/job_codec.h"
#include "server/make_views.h"
#include "server/operations.h"
#include "server/page.h"
#include "server/questions.h"
#include "server/redaction.h"
#include "server/trial.h"

namespace berth::server {
namespace {

using codec::Document;

std::vector<std::string> status_words() {
  const auto words = words_of<JobStatus>();
  return {words.begin(), words.end()};
}

struct JobFilter {
  std::string queue;
  std::optional<JobStatus> status;
  std::optional<JobClass> job_class;
  std::string prefix;

  bool accepts(const JobView& view) const {
    return (!status || view.status == *status) && (!job_class || view.job_class == *job_class) &&
           view.name.starts_with(prefix);
  }
};

JobFilter filter_of(const Call& call) {
  JobFilter filter;
  filter.queue = call.query("queue").value_or("");
  if (const auto word = call.query("status")) filter.status = from_word<JobStatus>(*word);
  if (const auto word = call.query("class")) filter.job_class = from_word<JobClass>(*word);
  filter.prefix = call.query("prefix").value_or("");
  return filter;
}

// The queue of the job may be seen, and is under that of the filter.
bool is_shown(const Call& call, const Reading& reading, const JobFilter& filter,
              const std::string& queue) {
  return covers(call.who(), reading.state(), queue) &&
         is_under(reading.state(), reading.state().find_queue(queue), filter.queue);
}

// Live jobs in the order of submission, then ended ones, the last first. The cursor is the number
// of the last job; of one that has ended an "e" and the revision of its end, which is the order.
Page list_page(const Call& call, const Reading& reading, std::size_t limit) {
  const JobFilter filter = filter_of(call);
  const std::string after = call.query("after").value_or("");
  const bool in_ended = after.starts_with("e");
  const auto number = std::strtoull(after.c_str() + (in_ended ? 1 : 0), nullptr, 10);
  const Visibility sight(call.who(), reading);
  Page page;
  page.revision = reading.state().revision();
  std::string last;
  const auto add = [&](const JobView& view, std::string cursor) {
    if (!filter.accepts(view)) return true;
    if (page.items.items().size() == limit) {
      page.next = last;
      return false;
    }
    page.items.append(codec::to_document(view));
    last = std::move(cursor);
    return true;
  };
  if (!in_ended) {
    for (const JobId id : reading.state().jobs().sorted_ids()) {
      if (!after.empty() && id.value() <= number) continue;
      const engine::JobRecord& job = *reading.state().find_job(id);
      if (!is_shown(call, reading, filter, reading.state().spec_of(job).spec->queue)) continue;
      const JobView view = view_of(reading, job, sight, Detail::kSummary);
      if (!add(view, std::to_string(id.value()))) return page;
    }
  }
  if (call.query("ended").value_or("true") == "false") return page;
  const auto& ended = reading.history.jobs();
  for (auto job = ended.rbegin(); job != ended.rend(); ++job) {
    if (in_ended && job->revision >= number) continue;
    if (!is_shown(call, reading, filter, job->spec->queue)) continue;
    if (!add(view_of(*job, Detail::kSummary), "e" + std::to_string(job->revision))) return page;
  }
  return page;
}

void list_jobs(const CallPtr& call) {
  const auto limit = page_limit(*call);
  if (!limit) return call->refuse(limit.error());
  const auto page = call->service().replica.read([&](const Reading& reading) -> Result<Page> {
    if (auto s = check_queue(*call, reading.state()); !s) return tl::unexpected(s.error());
    return list_page(*call, reading, *limit);
  });
  if (!page) return call->refuse(page.error());
  call->answer(page_document(*page));
}

Error unknown_job(const Reading& reading, const Call& call, const std::string& name) {
  const std::vector<std::string> names =
      job_names(reading.state(), Visibility(call.who(), reading));
  return {ErrorCode::kNotFound,
          "there is no job '" + name + "'" + suggestion(name, std::span<const std::string>(names)),
          "name", 0};
}

// As it stands, or as it ended; what another tenant owns is not there.
Result<JobView> find_view(const Call& call, const Reading& reading, const std::string& name) {
  const Visibility sight(call.who(), reading);
  const engine::JobRecord* job = reading.state().find_job(name);
  if (job != nullptr && sight.sees(job->id)) return view_of(reading, *job, sight, Detail::kFull);
  const EndedJob* ended = reading.history.find(name);
  if (ended != nullptr && sight.covers(ended->spec->queue)) return view_of(*ended, Detail::kFull);
  return tl::unexpected(unknown_job(reading, call, name));
}

void answer_job(Call& call, const std::string& name, int status) {
  const auto view = call.service().replica.read(
      [&](const Reading& reading) { return find_view(call, reading, name); });
  if (!view) return call.refuse(view.error());
  call.answer(status, codec::to_document(*view));
}

void get_job(const CallPtr& call) { answer_job(*call, call->path("name"), 200); }

// What a live job needs before anything is done to it: it is there, and the caller's.
Status check_own(const Call& call, const Reading& reading, const std::string& name) {
  const engine::JobRecord* job = reading.state().find_job(name);
  if (job != nullptr && Visibility(call.who(), reading).sees(job->id)) return {};
  return tl::unexpected(unknown_job(reading, call, name));
}

Document submitted_document(const std::string& name, const control::Reply& reply) {
  Document map = changed_document(name, reply);
  map.add("id", Document::integer(static_cast<std::int64_t>(reply.job.value())));
  return map;
}

// The name of a job that was submitted once; empty: it has ended and is forgotten.
std::string name_of(const Reading& reading, JobId id) {
  if (const engine::JobRecord* job = reading.state().find_job(id)) return job->name;
  const EndedJob* ended = reading.history.find(id);
  return ended == nullptr ? std::string() : ended->name;
}

// Answers as the first submit under the key was, if it was of this job. Only the history knows the
// name of one that has ended, and the writer's thread must not wait for a reading.
void answer_again(const CallPtr& call, const std::string& name, const control::Reply& reply) {
  const Status asked = call->service().questions.ask([call, name, reply] {
    const std::string made = call->service().replica.read(
        [&](const Reading& reading) { return name_of(reading, reply.job); });
    if (made == name) return call->answer(submitted_document(name, reply));
    call->refuse({ErrorCode::kConflict,
                  "was used for " +
                      (made.empty() ? "a job that has ended and is not known any more"
                                    : "job '" + made + "'") +
                      "; job '" + name + "' needs a key of its own",
                  "Idempotency-Key", 0});
  });
  if (!asked) call->refuse(asked.error());
}

void submit_job(const CallPtr& call) {
  auto file = call->body<codec::JobFile>();
  if (!file) return call->refuse(file.error());
  const std::string queue = file->queue;
  const bool is_own =
      call->who().queue.empty() || call->service().replica.read([&](const Reading& reading) {
        return covers(call->who(), reading.state(), queue);
      });
  if (!is_own) {
    return call->refuse({ErrorCode::kNotFound,
                         "there is no queue '" + queue + "' under '" + call->who().queue + "'",
                         "queue", 0});
  }
  if (call->flag("dry_run")) return try_job(call, std::move(*file));
  const std::string name = file->name;
  auto spec = std::make_shared<const JobSpec>(std::move(static_cast<JobSpec&>(*file)));
  call->post(SubmitJob{name, std::move(spec)}, [call, name](const control::Reply& reply) {
    if (reply.was_seen) return answer_again(call, name, reply);
    call->answer(submitted_document(name, reply));
  });
}

// A command about one job; answered when it is durable. One that was carried out before is answered
// as it was then, though the job may be gone by now.
void change_job(const CallPtr& call, CommandBody body) {
  const std::string name = call->path("name");
  const auto id = call->command_id();
  if (!id) return call->refuse(id.error());
  using Before = std::optional<control::Reply>;
  const auto before = call->service().replica.read([&](const Reading& reading) -> Result<Before> {
    if (!id->empty() && reading.state().seen_request(*id) != nullptr) {
      return control::Reply{reading.state().revision(), {}, true};
    }
    if (auto s = check_own(*call, reading, name); !s) return tl::unexpected(s.error());
    return Before();
  });
  if (!before) return call->refuse(before.error());
  if (*before) return call->answer(changed_document(name, **before));
  call->post(std::move(body), [call, name](const control::Reply& reply) {
    call->answer(changed_document(name, reply));
  });
}

void cancel_job(const CallPtr& call) { change_job(call, CancelJob{call->path("name")}); }
void hold_job(const CallPtr& call) { change_job(call, HoldJob{call->path("name")}); }
void release_job(const CallPtr& call) { change_job(call, UnholdJob{call->path("name")}); }

// The body of a resize.
struct Resize {
  std::string role;  // empty: the only one
  std::uint32_t count = 1;
  friend bool operator==(const Resize&, const Resize&) = default;
};

}  // namespace
}  // namespace berth::server

namespace berth::codec {
template <>
struct Describe<server::Resize> : Described<server::Resize> {
  static const ObjectSchema<server::Resize>& schema() {
    static const ObjectSchema<server::Resize> kSchema = [] {
      ObjectSchema<server::Resize> s("resize", "Another number of tasks for a role.");
      s.field("role", &server::Resize::role, optional_name())
          .when_absent("the only one of the job")
          .text("Role.");
      s.field("count", &server::Resize::count, integer(1, kTaskLimit))
          .required()
          .text("Its tasks from now on.");
      return s;
    }();
    return kSchema;
  }
};
}  // namespace berth::codec

namespace berth::server {
namespace {

void resize_job(const CallPtr& call) {
  const auto resize = call->body<Resize>();
  if (!resize) return call->refuse(resize.error());
  change_job(call, ResizeJob{call->path("name"), resize->role, resize->count});
}

Operation on_job(std::string id, std::string verb, std::string text,
                 void (*run)(const CallPtr& call)) {
  Operation operation;
  operation.id = std::move(id);
  operation.method = "POST";
  operation.path = "/v1/jobs/{name}/" + verb;
  operation.text = std::move(text);
  operation.need = Need::kUseQueue;
  operation.run = run;
  operation.answer = schema_of<Changed>();
  operation.is_write = true;
  return operation;
}

}  // namespace

std::vector<Operation> job_operations() {
  using Kind = ParameterInfo::Kind;
  using Answers = Operation::Answers;
  const std::vector<ParameterInfo> filters = page_parameters(
      {{"queue", "Only jobs of this queue and those below it.", Kind::kText},
       {"status", "Only jobs that stand so.", Kind::kText, status_words()},
       {"class", "Only jobs of this class.", Kind::kText, {"inference", "interactive", "training"}},
       {"prefix", "Only jobs whose name begins so.", Kind::kText},
       {"ended", "Whether those that ended lately are listed too.", Kind::kFlag}});
  std::vector<Operation> all = {
      {"listJobs", "GET", "/v1/jobs", "Jobs, the oldest first; then those that ended lately.",
       Need::kSeeTenants, list_jobs, filters, nullptr, schema_of<JobView>(), Answers::kList},
      {"submitJob",
       "POST",
       "/v1/jobs",
       "Submits a job. With the header Idempotency-Key a retry is the same job. The answer comes "
       "when the job is durable.",
       Need::kUseQueue,
       submit_job,
       {{"dry_run", "Submits nothing: answers with the completed job and where it would land now.",
         Kind::kFlag}},
       schema_of<codec::JobFile>(),
       schema_of<Changed>(),
       Answers::kObject,
       201,
       true},
      {"getJob",
       "GET",
       "/v1/jobs/{name}",
       "A job with its leases and what it asks for.",
       Need::kSeeTenants,
       get_job,
       {},
       nullptr,
       schema_of<JobView>()},
      {"cancelJob",
       "DELETE",
       "/v1/jobs/{name}",
       "Ends a job.",
       Need::kUseQueue,
       cancel_job,
       {},
       nullptr,
       schema_of<Changed>(),
       Answers::kObject,
       200,
       true},
      on_job("holdJob", "hold", "Keeps a job that waits from starting.", hold_job),
      on_job("releaseJob", "release", "Lets a held job start.", release_job),
      on_job("resizeJob", "resize", "Another number of tasks for a role.", resize_job)};
  all.back().body = schema_of<Resize>();
  return all;
}

}  // namespace berth::server

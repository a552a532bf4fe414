// What changes jobs and nodes: submit, cancel, hold, release, resize; cordon, drain, uncordon;
// apply.
#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>

#include "cli/commands.h"
#include "cli/remote/asking.h"
#include "codec/file.h"
#include "codec/job_codec.h"
#include "codec/writer.h"

namespace berth::cli {
namespace {

using codec::Document;

// A file, or standard input for "-": its text and how to read it.
struct Input {
  std::string text;
  codec::TextFormat format = codec::TextFormat::kYaml;
};

Result<Input> input_of(const std::string& file) {
  Input input;
  if (file == "-") {
    input.text.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
    return input;
  }
  const auto format = codec::format_of(file);
  if (!format) return tl::unexpected(format.error());
  auto text = codec::read_file(file);
  if (!text) return invalid(file + ": " + text.error().message);
  return Input{std::move(*text), *format};
}

// One job, or a list of them.
Result<std::vector<Document>> jobs_of(const std::string& file) {
  const auto input = input_of(file);
  if (!input) return tl::unexpected(input.error());
  auto document = codec::read_text(input->text, input->format);
  if (!document) {
    document.error().message = file + ": " + document.error().message;
    return tl::unexpected(document.error());
  }
  if (document->is(Document::Kind::kList)) return document->items();
  return std::vector<Document>{std::move(*document)};
}

// What is wrong with a job is found here, with the line of the file.
Status check_job(const std::string& file, const Document& job) {
  const auto parsed = codec::from_document<codec::JobFile>(job, file);
  if (parsed) return {};
  return tl::unexpected(parsed.error().to_error());
}

Status submit_one(Client& client, const Document& job, const std::string& request_id,
                  const Arguments& arguments, Console& console) {
  const bool is_trial = arguments.has("--dry-run");
  Request request{"POST",
                  is_trial ? "/v1/jobs?dry_run=true" : "/v1/jobs",
                  codec::write_json_line(job),
                  "application/json",
                  {}};
  request.request_id = request_id;
  const auto answer = client.send(request);
  if (!answer) return tl::unexpected(answer.error());
  const std::string format = arguments.value_or("--output", "text");
  if (format == "json" || (format == "yaml" && !is_trial)) {
    print_document(*answer, arguments, console);
    return {};
  }
  if (!is_trial) {
    console.out() << "job " << text_of(*answer, "name") << " submitted\n";
    return {};
  }
  if (format == "yaml") console.out() << codec::write_yaml(*answer->find("job"));
  const std::string place = text_of(*answer, "place");
  std::string reason;
  for (const Document& one : answer->find("reasons")->items()) {
    reason += (reason.empty() ? "" : "; ") + one.as_string();
  }
  console.out() << "# would " << (place.empty() ? "wait: " + reason : "start now at " + place)
                << "\n";
  return {};
}

// What becomes of several: one that is refused keeps none of the others from being asked. The first
// refusal is the outcome, the others are told as they come.
class Each {
 public:
  explicit Each(Console& console) : console_(console) {}
  // `name`: empty where there is only one. False: nobody answers, so that the others need not ask.
  bool add(const std::string& name, Status done) {
    if (done) return true;
    const bool is_answered = done.error().code != ErrorCode::kUnavailable;
    if (!name.empty()) done = fail(done.error().code, name + ": " + done.error().to_text());
    if (first_) {
      first_ = std::move(done);
    } else {
      report(console_, done.error());
    }
    return is_answered;
  }
  Status outcome() const { return first_; }

 private:
  Console& console_;
  Status first_;
};

// The jobs of all files, each of them checked.
Result<std::vector<Document>> checked_jobs(const Arguments& arguments) {
  std::vector<Document> all;
  for (const std::string& file : arguments.values("FILE")) {
    auto jobs = jobs_of(file);
    if (!jobs) return jobs;
    for (Document& job : *jobs) {
      if (auto s = check_job(file, job); !s) return tl::unexpected(s.error());
      all.push_back(std::move(job));
    }
  }
  return all;
}

int run_submit(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const auto jobs = checked_jobs(arguments);
    if (!jobs) return tl::unexpected(jobs.error());
    Each each(console);
    for (const Document& job : *jobs) {
      std::string id = arguments.value_or("--request-id", "");
      // an id is of one job
      if (!id.empty() && jobs->size() > 1) id += "/" + text_of(job, "name");
      const std::string name = jobs->size() > 1 ? "job " + text_of(job, "name") : "";
      if (!each.add(name, submit_one(client, job, id, arguments, console))) break;
    }
    return each.outcome();
  });
}

// One request for each name.
int for_each(const Arguments& arguments, Console& console, const std::string& argument,
             const std::function<Request(const std::string& name)>& request,
             const std::function<std::string(Client& client, const std::string& name)>& done) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const auto names = arguments.values(argument);
    Each each(console);
    for (const std::string& name : names) {
      const auto answer = client.send(request(name));
      if (answer) console.out() << name << " " << done(client, name) << "\n";
      const Status asked = answer ? Status{} : tl::unexpected(answer.error());
      if (!each.add(names.size() > 1 ? name : "", asked)) break;
    }
    return each.outcome();
  });
}

int for_each(const Arguments& arguments, Console& console, const std::string& argument,
             const std::function<Request(const std::string& name)>& request,
             const std::string& done) {
  return for_each(arguments, console, argument, request,
                  [&](Client& /*client*/, const std::string& /*name*/) { return done; });
}

int run_cancel(const Arguments& arguments, Console& console) {
  return for_each(
      arguments, console, "JOB",
      [](const std::string& name) {
        return Request{"DELETE", "/v1/jobs/" + encoded(name), {}, {}, {}};
      },
      "cancelled");
}

int run_hold(const Arguments& arguments, Console& console) {
  return for_each(
      arguments, console, "JOB",
      [](const std::string& name) {
        return Request{"POST", "/v1/jobs/" + encoded(name) + "/hold", {}, {}, {}};
      },
      "held");
}

int run_release(const Arguments& arguments, Console& console) {
  return for_each(
      arguments, console, "JOB",
      [](const std::string& name) {
        return Request{"POST", "/v1/jobs/" + encoded(name) + "/release", {}, {}, {}};
      },
      "released");
}

int run_resize(const Arguments& arguments, Console& console) {
  const std::string count = arguments.value_or("TASKS", "");
  if (count.empty() || count.find_first_not_of("0123456789") != std::string::npos ||
      count.size() > 9) {
    return wrong_value(console, "TASKS", "is '" + count + "'; a whole number is accepted");
  }
  Document body = Document::map();
  if (const auto role = arguments.value("--role")) body.add("role", Document::string(*role));
  body.add("count", Document::integer(std::stoll(count)));
  return for_each(
      arguments, console, "JOB",
      [&](const std::string& name) {
        return Request{"POST",
                       "/v1/jobs/" + encoded(name) + "/resize",
                       codec::write_json_line(body),
                       "application/json",
                       {}};
      },
      "resized to " + count + (count == "1" ? " task" : " tasks"));
}

// What an operator wants of a lost node comes with its return.
std::string condition_text(Client& client, const std::string& node, const std::string& done) {
  const auto found = client.get("/v1/nodes/" + encoded(node));
  if (!found || text_of(*found, "condition") != "lost") return done;
  return "is lost, and " + done + " once it is back";
}

int set_condition(const Arguments& arguments, Console& console, const std::string& condition,
                  const std::string& done) {
  Document body = Document::map();
  body.add("condition", Document::string(condition));
  return for_each(
      arguments, console, "NODE",
      [&](const std::string& name) {
        return Request{"POST",
                       "/v1/nodes/" + encoded(name) + "/condition",
                       codec::write_json_line(body),
                       "application/json",
                       {}};
      },
      [&](Client& client, const std::string& name) { return condition_text(client, name, done); });
}

int run_cordon(const Arguments& arguments, Console& console) {
  return set_condition(arguments, console, "cordoned", "takes no new work");
}
int run_drain(const Arguments& arguments, Console& console) {
  return set_condition(arguments, console, "draining", "drains");
}
int run_uncordon(const Arguments& arguments, Console& console) {
  return set_condition(arguments, console, "ready", "takes work");
}

// A file of what is declared: each object goes where its kind says.
Status apply_kind(Client& client, const Document& file, const char* kind, Console& console) {
  const Document* items = file.find(kind);
  if (items == nullptr) return {};
  if (!items->is(Document::Kind::kList)) return invalid("is no list", kind);
  const std::string singular = std::string(kind).substr(0, std::string_view(kind).size() - 1);
  for (const Document& item : items->items()) {
    const std::string name = text_of(item, "name");
    const std::string path =
        std::string("/v1/") + kind + (singular == "partition" ? "" : "/" + encoded(name));
    const auto answer =
        client.send({"PUT", path, codec::write_json_line(item), "application/json", {}});
    if (!answer) {
      Error error = answer.error();
      error.message = singular + " " + name + ": " + error.message;
      return tl::unexpected(std::move(error));
    }
    console.out() << singular << " " << name << " applied\n";
  }
  return {};
}

constexpr std::array<std::string_view, 4> kApplied = {"topology", "partitions", "queues", "policy"};

// What there is one of.
Status apply_one(Client& client, const Document& file, const std::string& kind, Console& console) {
  const Document* item = file.find(kind);
  if (item == nullptr) return {};
  const auto answer =
      client.send({"PUT", "/v1/" + kind, codec::write_json_line(*item), "application/json", {}});
  if (!answer) {
    Error error = answer.error();
    error.message = kind + ": " + error.message;
    return tl::unexpected(std::move(error));
  }
  const std::string name = text_of(*answer, "name");
  console.out() << kind << (name == kind ? "" : " " + name) << " applied\n";
  return {};
}

Status apply_file(Client& client, const std::string& file, Console& console) {
  const auto input = input_of(file);
  if (!input) return tl::unexpected(input.error());
  const auto document = codec::read_text(input->text, input->format);
  if (!document) return tl::unexpected(document.error());
  const std::string accepted = "; topology, partitions, queues and policy are accepted";
  if (!document->is(Document::Kind::kMap)) return invalid(file + ": holds no map" + accepted);
  for (const codec::Member& member : document->members()) {
    const auto& kinds = kApplied;
    if (std::find(kinds.begin(), kinds.end(), member.key) != kinds.end()) continue;
    const bool is_nodes = member.key == "nodes";
    return invalid(file + ": '" + member.key + "' cannot be applied" +
                   (is_nodes ? ": nodes join by their agents" : "") + accepted);
  }
  if (auto s = apply_one(client, *document, "topology", console); !s) return s;
  for (const char* kind : {"partitions", "queues"}) {
    if (auto s = apply_kind(client, *document, kind, console); !s) return s;
  }
  return apply_one(client, *document, "policy", console);
}

int run_apply(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    for (const std::string& file : arguments.values("FILE")) {
      if (auto s = apply_file(client, file, console); !s) return s;
    }
    return {};
  });
}

CommandSpec verb(std::string name, std::string text, std::string argument, std::string about,
                 CommandSpec::Run run) {
  CommandSpec spec;
  spec.name = std::move(name);
  spec.text = std::move(text);
  spec.arguments = {{std::move(argument), std::move(about), ArgumentSpec::Count::kMany, {}}};
  spec.run = run;
  return spec;
}

}  // namespace

CommandSpec submit_command() {
  CommandSpec spec = verb("submit", "Submits the jobs of files; see 'berth explain-schema job'.",
                          "FILE", "A job, or a list of them; - is standard input", run_submit);
  spec.options = {{"--dry-run", "", "Submits nothing: says where it would land now", {}, {}},
                  {"--request-id",
                   "ID",
                   "The same id twice is one job; of several jobs each has it with its name",
                   "a new one",
                   {}},
                  text_output_option()};
  return remote_command(std::move(spec));
}

std::vector<CommandSpec> work_commands() {
  CommandSpec resize;
  resize.name = "resize";
  resize.text = "Another number of tasks for a role of a job.";
  resize.arguments = {{"JOB", "Which job", ArgumentSpec::Count::kOne, {}},
                      {"TASKS", "How many tasks from now on", ArgumentSpec::Count::kOne, {}}};
  resize.options = {{"--role", "NAME", "Which role", "its only one", {}}};
  resize.run = run_resize;
  std::vector<CommandSpec> all = {
      verb("cancel", "Ends jobs.", "JOB", "Which jobs", run_cancel),
      verb("hold", "Keeps jobs that wait from starting.", "JOB", "Which jobs", run_hold),
      verb("release", "Lets held jobs start.", "JOB", "Which jobs", run_release),
      resize,
      verb("cordon", "Gives nodes no new work.", "NODE", "Which nodes", run_cordon),
      verb("drain", "Gives nodes no new work; what runs goes on to its end.", "NODE", "Which nodes",
           run_drain),
      verb("uncordon", "Nodes take work again.", "NODE", "Which nodes", run_uncordon),
      verb("apply", "Declares the topology, partitions, queues or policy of files.", "FILE",
           "YAML with topology, partitions, queues or policy; - is standard input", run_apply)};
  for (CommandSpec& spec : all) spec = remote_command(std::move(spec));
  return all;
}

}  // namespace berth::cli

// `berth why [JOB] --scn FILE`: why a job waits, when it could start, and what would let it start
// now; without a job who waits.
#include "cli/commands.h"
#include "cli/played_place.h"
#include "cli/remote/asking.h"
#include "server/why_answer.h"

namespace berth::cli {
namespace {

int run(const Arguments& arguments, Console& console) {
  const auto job = arguments.value("JOB");
  return ask_place(arguments, console,
                   {"GET", job ? "/v1/jobs/" + encoded(*job) + "/why" : "/v1/waiting", {}, {}, {}},
                   [&](const server::AskedPlace& place) -> Result<server::Told> {
                     if (job) return server::answer_why(place, *job);
                     return server::list_waiting(place);
                   });
}

}  // namespace

CommandSpec why_command() {
  CommandSpec spec;
  spec.name = "why";
  spec.text = "Why a job waits, when it could start, and the smallest changes that would start it.";
  spec.arguments = {
      {"JOB", "Name of the job; without one: all that wait", ArgumentSpec::Count::kOptional, {}}};
  spec.options = place_options();
  spec.run = run;
  return spec;
}

}  // namespace berth::cli

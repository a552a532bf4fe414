// `berth plan show [JOB]`: the receipts of reclaims.
#include "cli/commands.h"
#include "cli/played_place.h"
#include "cli/remote/asking.h"
#include "server/receipts_answer.h"

namespace berth::cli {
namespace {

int run_show(const Arguments& arguments, Console& console) {
  const auto job = arguments.value("JOB");
  return ask_place(
      arguments, console, {"GET", "/v1/plans/text" + query_text({{"job", job}}), {}, {}, {}},
      [&](const server::AskedPlace& place) { return server::answer_receipts(place, job); });
}

CommandSpec show_command() {
  CommandSpec spec;
  spec.name = "show";
  spec.text = "Receipts of reclaims: what was taken from whom, at which price, and for whom.";
  spec.arguments = {{"JOB",
                     "Only those that this job has a part in, as taker or giver",
                     ArgumentSpec::Count::kOptional,
                     {}}};
  spec.options = place_options();
  spec.run = run_show;
  return spec;
}

}  // namespace

CommandSpec plan_command() {
  CommandSpec spec;
  spec.name = "plan";
  spec.text = "What has been planned and carried out, with its receipts.";
  spec.subcommands = {show_command()};
  return spec;
}

}  // namespace berth::cli

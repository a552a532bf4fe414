// The public cases 003, 006 to 010, 081 and 082 with other sizes, orders and numbers: what is
// charged for what, and what is told to those that wait.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "model/testing.h"
#include "sim/scenario/testing.h"

namespace berth::sim {
namespace {

using engine::ClusterState;
using engine::FlavourUsage;
using engine::JobRecord;
using testing::LineRunner;

std::string text_of(std::int64_t number) { return std::to_string(number); }

bool is_running(const ClusterState& state, const std::string& name) {
  const JobRecord* job = state.find_job(name);
  return job != nullptr && job->phase == JobPhase::kRunning;
}

// Cards of all models, or CPUs.
Charge charge_of(const ClusterState& state, const std::string& queue, bool cpus = false) {
  Charge sum;
  for (const FlavourUsage& usage : state.quota().queue(state.find_queue(queue)).usage) {
    if (state.quota().flavour(usage.flavour).is_cpu() == cpus) sum += usage.total;
  }
  return sum;
}

std::int64_t any(std::int64_t from, std::int64_t to) {
  return *rc::gen::inRange<std::int64_t>(from, to + 1);
}

struct Part {
  std::string role;
  std::int64_t memory = 0;
};

// The first container of a line is an app; here it asks for nothing.
std::string line_of(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts) {
    line += " + " + part.role + " memory=" + text_of(part.memory) + "MiB";
  }
  return line;
}

RC_GTEST_PROP(Case003, TheChargeDoesNotDependOnHowContainersAreWrittenDown, ()) {
  std::vector<Part> parts;
  std::int64_t largest_init = 0;
  std::int64_t others = 0;
  const std::int64_t count = any(1, 5);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string role = *rc::gen::element<std::string>("app", "init", "sidecar");
    const std::int64_t memory = any(1, 9'000);
    parts.push_back({role, memory});
    if (role == "init") largest_init = std::max(largest_init, memory);
    if (role != "init") others += memory;
  }
  const std::int64_t charge = std::max(largest_init, others);
  const std::int64_t limit = any(1, 40);  // thousands of 40,000 MiB
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.memory < b.memory; });
  for (int order = 0; order < 6; ++order) {
    LineRunner runner;
    runner.declare("model card memory=40000MiB");
    runner.declare("queue ns limit=" + text_of(limit) + "/40");
    runner.declare("node n1 model=card gpus=1");
    runner.run("submit j" + line_of(parts));
    runner.run("cycle");
    RC_ASSERT(is_running(runner.state(), "j") == (charge <= limit * 1000));
    const std::int64_t charged = charge_of(runner.state(), "ns").memory;
    RC_ASSERT(charged == (charge <= limit * 1000 ? charge * kEighthsPerMib : 0));
    std::next_permutation(parts.begin(), parts.end(),
                          [](const Part& a, const Part& b) { return a.memory < b.memory; });
  }
}

RC_GTEST_PROP(Case006, NegativeAmountsAreRefusedAtTheDoorAndChangeNothing, ()) {
  LineRunner runner;
  runner.declare("queue A limit=8");
  runner.declare("node n1 model=H100-SXM5-80GB gpus=8 has=licence:9");
  JobSpec spec = berth::testing::job("A", berth::testing::whole(1));
  Container extra = spec.roles[0].containers[0];
  extra.name = "extra";
  const std::int64_t amount = -any(1, std::int64_t{1} << *rc::gen::inRange(1, 62));
  switch (any(0, 3)) {
    case 0:
      extra.cpu_milli = amount;
      break;
    case 1:
      extra.memory_mib = amount;
      break;
    case 2:
      extra.resources = {{"licence", amount}};
      break;
    default:
      extra.devices.memory_mib = amount;
  }
  const bool first = any(0, 1) == 0;
  auto& containers = spec.roles[0].containers;
  containers.insert(first ? containers.begin() : containers.end(), extra);
  const std::uint64_t before = runner.state().hash();
  const Command command{SubmitJob{"X", std::make_shared<const JobSpec>(spec)}, {}, {}};
  RC_ASSERT(runner.session().execute(command).has_value());
  const std::vector<std::string> told = runner.session().take_transcript();
  RC_ASSERT(told.size() == 1U);
  RC_ASSERT(told.front().starts_with("refused: "));
  RC_ASSERT(runner.state().hash() == before);
  RC_ASSERT(runner.state().find_job("X") == nullptr);
  // Y of 8 is admitted at charge 8, Z of 1 waits
  runner.run("submit Y gpus=8");
  runner.run("submit Z gpus=1");
  runner.run("cycle");
  RC_ASSERT(charge_of(runner.state(), "A").compute == 8 * kCard);
  RC_ASSERT(!is_running(runner.state(), "Z"));
}

// A gang of `tasks`, of which some have ended, begins again: it is charged for all that live.
RC_GTEST_PROP(Case007, EachAttemptIsChargedForWhatItHolds, ()) {
  const std::int64_t tasks = any(2, 6);
  const std::int64_t cpus = any(1, 16);
  const std::int64_t spare = any(0, 3);
  LineRunner runner;
  runner.declare("queue q + quota model=cpu limit=" + text_of(cpus * (tasks + spare)));
  runner.declare("node n[1-" + text_of(tasks + spare + 3) + "] cpu=" + text_of(cpus));
  const auto charged = [&] { return charge_of(runner.state(), "q", true).compute / kCard / cpus; };
  runner.run("submit J tasks=" + text_of(tasks) + " cpu=" + text_of(cpus));
  const std::int64_t attempts = any(1, 3);
  for (std::int64_t attempt = 0; attempt < attempts; ++attempt) {
    runner.run("cycle");
    RC_ASSERT(charged() == tasks);
    const std::int64_t ended = any(0, tasks - 1);
    for (std::int64_t i = 0; i < ended; ++i) {
      runner.run("finish J task=" + text_of(i));
      RC_ASSERT(charged() == tasks - i - 1);
    }
    if (attempt + 1 == attempts) break;
    for (std::int64_t i = ended; i < tasks; ++i) {
      if (!is_running(runner.state(), "J")) break;
      runner.run("lose J task=" + text_of(i));
      runner.run("advance 11m");  // past what a repair may take
    }
    RC_ASSERT(charged() == 0);
    runner.run("advance 11m");
  }
  runner.run("cancel J");
  RC_ASSERT(charged() == 0);
  // what ended before is credited to nobody
  runner.run("submit K tasks=" + text_of(tasks + spare + 1) + " cpu=" + text_of(cpus));
  runner.run("submit L tasks=" + text_of(tasks + spare) + " cpu=" + text_of(cpus));
  runner.run("cycle");
  RC_ASSERT(!is_running(runner.state(), "K"));
  RC_ASSERT(is_running(runner.state(), "L"));
}

RC_GTEST_PROP(Case008, NeverMoreBoundThanChargedHoweverAJobIsResized, ()) {
  const std::int64_t limit = any(2, 8);
  LineRunner runner;
  runner.declare("queue A limit=" + text_of(limit));
  runner.declare("node n[1-2] model=H100-SXM5-80GB gpus=8");
  std::int64_t size = any(1, limit);
  runner.run("submit J tasks=" + text_of(size) + " gpus=1");
  runner.run("cycle");
  RC_ASSERT(charge_of(runner.state(), "A").compute == size * kCard);
  runner.run("executor manual");
  const std::int64_t steps = any(1, 6);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t wanted = any(1, 12);
    const std::vector<std::string> told = runner.run("resize J tasks=" + text_of(wanted));
    const bool refused = !told.empty() && told.front().starts_with("refused");
    if (wanted > limit) RC_ASSERT(refused);
    if (!refused) size = wanted;
    const auto check = [&] {
      const auto held = static_cast<std::int64_t>(runner.state().find_job("J")->leases.size());
      RC_ASSERT(charge_of(runner.state(), "A").compute == held * kCard);
      RC_ASSERT(held <= limit);
    };
    check();
    runner.run("cycle");
    check();
    runner.run("returned J");
    runner.run("prepared J");
    check();
    runner.run("cycle");
    runner.run("prepared J");
    check();
  }
  RC_ASSERT(charge_of(runner.state(), "A").compute == size * kCard);
}

RC_GTEST_PROP(Case009, TheChargeIsTheSumOverDevicesAndTasks, ()) {
  const std::int64_t usable = 1024 * any(1, 64);
  const std::int64_t devices = any(1, 4);
  const std::int64_t tasks = any(1, 4);
  const std::int64_t each = any(1, usable / 4);
  const std::int64_t limit = any(1, 64);  // 64ths of a card
  LineRunner runner;
  runner.declare("model card memory=" + text_of(usable) + "MiB");
  runner.declare("queue ns limit=" + text_of(limit) + "/64");
  runner.declare("node n1 model=card gpus=" + text_of(devices));
  runner.run("submit P memory=" + text_of(each) + "MiB count=" + text_of(devices) +
             " tasks=" + text_of(tasks));
  runner.run("cycle");
  const std::int64_t charge = each * devices * tasks;
  const bool fits = charge * 64 <= limit * usable;
  RC_ASSERT(is_running(runner.state(), "P") == fits);
  RC_ASSERT(charge_of(runner.state(), "ns").memory == (fits ? charge * kEighthsPerMib : 0));
}

RC_GTEST_PROP(Case010, InstancesAreChargedSliceBySliceInAnyMix, ()) {
  struct Size {
    const char* name;
    std::int64_t compute;
    std::int64_t memory;
  };
  static constexpr Size kSizes[] = {{"1g.10gb", 1, 1}, {"1g.20gb", 1, 2}, {"2g.20gb", 2, 2},
                                    {"3g.40gb", 3, 4}, {"4g.40gb", 4, 4}, {"7g.80gb", 7, 8}};
  const std::int64_t guarantee = any(1, 4);
  LineRunner runner;
  runner.declare("queue A guarantee=" + text_of(guarantee) + " limit=" + text_of(guarantee));
  runner.declare("node n[1-2] model=H100-SXM5-80GB gpus=8 mig=dynamic");
  const auto usable = [&] {
    return runner.state().card_kind(runner.state().node(NodeIndex(0)).cards.front().kind).usable;
  };
  std::int64_t compute = 0;
  std::int64_t memory = 0;
  for (int i = 0; i < 24; ++i) {
    const Size& size = kSizes[any(0, 5)];
    const std::string name = "j" + std::to_string(i);
    runner.run("submit " + name + " profile=" + size.name);
    runner.run("cycle");
    const bool fits =
        compute + size.compute <= 7 * guarantee && memory + size.memory <= 8 * guarantee;
    RC_ASSERT(is_running(runner.state(), name) == fits);
    if (!fits) {
      runner.run("cancel " + name);
      continue;
    }
    compute += size.compute;
    memory += size.memory;
    const Charge charged = charge_of(runner.state(), "A");
    RC_ASSERT(charged.compute * 7 == compute * kCard);
    RC_ASSERT(charged.memory * 8 == memory * usable());
  }
}

// The order of reasons is quota, place, readiness; the same however often it is asked.
RC_GTEST_PROP(Case081, OnePrimaryReasonInAFixedOrder, ()) {
  const std::int64_t cards = any(2, 8);
  const std::int64_t taken = any(1, cards - 1);
  LineRunner runner;
  runner.declare("queue q limit=" + text_of(cards - 1));
  runner.declare("queue other");
  runner.declare("node n1 model=H100-SXM5-80GB gpus=" + text_of(cards) + " has=fabric:1");
  runner.run("submit x queue=other gpus=" + text_of(taken));
  runner.run("submit f queue=other needs=fabric:1");
  runner.run("cycle");
  runner.run("submit J queue=q gpus=" + text_of(cards) + " needs=fabric:1");
  const auto primary = [&] {
    runner.run("cycle");
    const JobId job = runner.state().find_job("J")->id;
    const Rejections first = runner.session().why(job);
    for (int i = 0; i < 5; ++i) RC_ASSERT(runner.session().why(job) == first);
    RC_ASSERT(!first.empty());
    return first.front().rule;
  };
  RC_ASSERT(primary() == Rule::kQuota);
  runner.run("queue q limit=" + text_of(cards));
  const Rule place_or_fabric = primary();
  RC_ASSERT(place_or_fabric != Rule::kQuota);
  runner.run("finish x");
  RC_ASSERT(primary() == Rule::kCountable);
  runner.run("finish f");
  runner.run("cycle");
  RC_ASSERT(is_running(runner.state(), "J"));
}

RC_GTEST_PROP(Case082, EveryJobThatWaitsHasAReasonAfterEveryCycle, ()) {
  LineRunner runner;
  runner.declare("queue open");
  runner.declare("queue paused limit=0");
  runner.declare("queue small guarantee=1 limit=2");
  runner.declare("node n[1-2] model=H100-SXM5-80GB gpus=2");
  int submitted = 0;
  for (int round = 0; round < 12; ++round) {
    for (std::int64_t i = any(0, 3); i > 0; --i) {
      const std::string queue = *rc::gen::element<std::string>("open", "paused", "small");
      const std::string group = any(0, 4) == 0 ? " group=g" + text_of(any(0, 1)) + ":2" : "";
      runner.run("submit j" + std::to_string(submitted++) + " queue=" + queue +
                 " tasks=" + text_of(any(1, 3)) + " gpus=" + text_of(any(1, 2)) + group);
    }
    const std::string some = "j" + text_of(any(0, std::max(0, submitted - 1)));
    const std::string verb = *rc::gen::element<std::string>("hold", "release", "finish", "lose");
    if (runner.state().find_job(some) != nullptr) runner.run(verb + " " + some);
    runner.run("cycle");
    for (const JobId id : runner.state().pending().sorted_ids()) {
      const JobRecord& job = *runner.state().find_job(id);
      RC_ASSERT(job.reasons != nullptr);
      RC_ASSERT(!job.reasons->empty());
      const bool alone = runner.state().spec_of(job).spec->group.empty();
      if (alone) RC_ASSERT(!runner.session().why(id).empty());
    }
  }
}

// Questions change nothing, however many and in whatever state they are asked.
RC_GTEST_PROP(Case079, QuestionsChangeNothing, ()) {
  LineRunner runner;
  runner.declare("policy reservations=" + text_of(any(0, 2)));
  runner.declare("queue q limit=" + text_of(any(4, 20)));
  runner.declare("node n[1-2] model=H100-SXM5-80GB gpus=8");
  const std::int64_t jobs = any(2, 8);
  for (std::int64_t i = 0; i < jobs; ++i) {
    runner.run("submit j" + text_of(i) + " gpus=" + text_of(any(1, 8)) +
               " tasks=" + text_of(any(1, 2)) + " run_time=" + text_of(any(1, 5)) + "h");
    if (any(0, 2) == 0) runner.run("cycle");
  }
  const std::uint64_t hash = runner.state().hash();
  const std::uint64_t revision = runner.state().revision();
  for (std::int64_t i = 0; i < 20; ++i) {
    const char* const kQuestions[] = {"eta", "why", "fix"};
    runner.run(std::string(kQuestions[any(0, 2)]) + " j" + text_of(any(0, jobs - 1)));
  }
  RC_ASSERT(runner.state().hash() == hash);
  RC_ASSERT(runner.state().revision() == revision);
}

}  // namespace
}  // namespace berth::sim

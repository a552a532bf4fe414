// Random histories through the whole runner: invariants, a second run, declarations in reverse,
// recovery after each command and quiet cycles at the end must hold whatever the script does.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "sim/scenario/runner.h"
#include "sim/scenario/testing.h"

namespace berth::sim {
namespace {

std::string number(int low, int high) { return std::to_string(*rc::gen::inRange(low, high + 1)); }

template <std::size_t N>
std::string one_of(const std::array<const char*, N>& words) {
  return *rc::gen::elementOf(words);
}

std::string draw_fleet() {
  static constexpr std::array kNodes = {
      "model=H100-SXM5-80GB gpus=2 mig=dynamic cpu=16",
      "model=H100-SXM5-80GB gpus=1 mig=static layout=4g.40gb@0,2g.20gb@4,1g.10gb@6",
      "model=Card gpus=4 islands=2 memory=64GiB has=licence:2",
      "model=Card gpus=3 cpu=8",
      "model=Card gpus=2 replicas=3",
      "model=Small gpus=2 reserve=100MiB",
      "model=Card gpus=0 cpu=64"};
  static constexpr std::array kPolicies = {"", "policy migration=100% backoff_first=10s\n"};
  std::string text = "fleet\n" + one_of(kPolicies) +
                     "model Card memory=80000MiB\nmodel Small memory=10007MiB mps=3\n"
                     "queue org\nqueue a parent=org\nqueue b parent=org trust=apart\nqueue c\n";
  for (int n = *rc::gen::inRange(1, 5); n > 0; --n) {
    text += "node n" + std::to_string(n) + " " + one_of(kNodes) + "\n";
  }
  return text + "----\n\n";
}

std::string draw_request() {
  static constexpr std::array kRequests = {"gpus=1",
                                           "gpus=2 within=island",
                                           "gpus=3",
                                           "share=1/3",
                                           "share=25% count=2",
                                           "share=1/6 class=interactive",
                                           "memory=3001MiB",
                                           "memory=900MiB compute=7%",
                                           "profile=1g.10gb",
                                           "profile=3g.40gb",
                                           "profile=2g.20gb count=2",
                                           "cpu=3 host_memory=9GiB",
                                           "gpus=1 needs=licence:1",
                                           "share=1/8 count=2 same_card=allowed class=interactive",
                                           "gpus=1 model=Small",
                                           "share=0.1 class=inference tier=process"};
  return one_of(kRequests);
}

std::string draw_submit(int index) {
  static constexpr std::array kForms = {"", " tasks=2", " tasks=3 min=1 elastic", " priority=5",
                                        " tasks=2 grace=1m"};
  static constexpr std::array kQueues = {"a", "b", "c"};
  return "submit j" + std::to_string(index) + " queue=" + one_of(kQueues) + " " + draw_request() +
         one_of(kForms);
}

std::string draw_command(int index) {
  const std::string job = " j" + number(0, index);
  const std::string node = " n" + number(1, 4);
  const std::string card = " card n" + number(1, 4) + ":" + number(0, 1);
  switch (*rc::gen::inRange(0, 22)) {
    case 0:
      return "cancel" + job;
    case 1:
    case 2:
      return "finish" + job;
    case 3:
      return "crash" + job;
    case 4:
      return "hold" + job;
    case 5:
      return "release" + job;
    case 6:
      return "fail node" + node;
    case 7:
      return "restore node" + node;
    case 8:
      return "drain" + node;
    case 9:
      return "fail" + card;
    case 10:
      return "restore" + card;
    case 11:
      return "fault" + card;
    case 12:
      return "mend" + card;
    case 13:
      return "advance " + number(1, 90) + "s";
    case 14:
      return one_of(std::array{"executor manual", "executor automatic"});
    case 15:
      return "prepared" + job;
    case 16:
      return "fail-prepare" + job;
    case 17:
      return "returned" + job;
    case 18:
      return "resize" + job + " tasks=" + number(1, 3);
    case 19:
      return "show gauge" + job;
    default:
      return "cycle";
  }
}

std::string draw_script() {
  std::string text = draw_fleet();
  int jobs = 0;
  const int length = *rc::gen::inRange(1, 30);
  for (int i = 0; i < length; ++i) {
    const bool submits = jobs == 0 || *rc::gen::inRange(0, 5) < 2;
    text += (submits ? draw_submit(jobs++) : draw_command(jobs)) + "\n";
  }
  for (int n = 1; n <= 4; ++n) {
    for (int c = 0; c <= 1; ++c) {
      text += "mend card n" + std::to_string(n) + ":" + std::to_string(c) + "\n";
    }
  }
  return text + "executor automatic\ncycle\ncycle\n----\n";
}

RC_GTEST_PROP(RandomScripts, HoldWhatTheRunnerChecks, ()) {
  ScenarioSetting setting;
  for (const GpuModel& model : testing::shipped_models()) {
    if (model.name == "H100-SXM5-80GB") setting.catalog.push_back(model);
  }
  const std::string script = draw_script();
  const auto outcome = run_scenario(script, "random", setting);
  if (!outcome) RC_FAIL(outcome.error().message + "\n" + script);
  if (!outcome->broken.empty()) RC_FAIL(outcome->broken + "\n" + outcome->updated);
}

}  // namespace
}  // namespace berth::sim

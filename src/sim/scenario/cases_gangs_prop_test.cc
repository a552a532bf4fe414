// The public cases 015 to 018, 021, 023, 063 and 072 with other sizes, orders and timings: gangs
// run whole or not at all, hold nothing while they wait, and lose nothing that others may keep.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/scenario/testing.h"

namespace berth::sim {
namespace {

using engine::ClusterState;
using engine::JobRecord;
using testing::LineRunner;

std::string text_of(std::int64_t number) { return std::to_string(number); }

std::int64_t any(std::int64_t from, std::int64_t to) {
  return *rc::gen::inRange<std::int64_t>(from, to + 1);
}

std::int64_t held_by(const ClusterState& state, const std::string& name) {
  const JobRecord* job = state.find_job(name);
  return job == nullptr ? 0 : static_cast<std::int64_t>(job->leases.size());
}

bool is_running(const ClusterState& state, const std::string& name) {
  const JobRecord* job = state.find_job(name);
  return job != nullptr && job->phase == JobPhase::kRunning;
}

constexpr const char* kModel = " model=H100-SXM5-80GB";

RC_GTEST_PROP(Case015, AGangHasNothingOrBetweenItsMinimumAndAll, ()) {
  LineRunner runner;
  runner.declare("queue q");
  const std::int64_t nodes = any(1, 6);
  runner.declare("node n[1-" + text_of(nodes) + "]" + kModel + " gpus=" + text_of(any(1, 2)));
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> sizes;  // least and most
  const auto check = [&] {
    for (const auto& [name, size] : sizes) {
      const std::int64_t held = held_by(runner.state(), name);
      RC_ASSERT(held == 0 || (held >= size.first && held <= size.second));
    }
  };
  for (int step = 0; step < 15; ++step) {
    const std::int64_t draw = any(0, 3);
    if (draw < 2) {
      const std::int64_t most = any(1, 9);
      const bool elastic = any(0, 2) == 0;
      const std::int64_t least = elastic ? any(1, most) : most;
      const std::string name = "g" + std::to_string(sizes.size());
      sizes[name] = {least, most};
      runner.run("submit " + name + " gpus=1 tasks=" + text_of(most) +
                 (elastic ? " elastic min=" + text_of(least) : ""));
    } else if (draw == 2 && !sizes.empty()) {
      const std::string name = "g" + text_of(any(0, static_cast<std::int64_t>(sizes.size()) - 1));
      if (is_running(runner.state(), name)) runner.run("finish " + name);
    }
    check();
    runner.run("cycle");
    check();
  }
}

RC_GTEST_PROP(Case015, OfTwoEqualGangsOneRunsAndTheOtherFollows, ()) {
  const std::int64_t size = any(1, 12);
  const std::int64_t nodes = any(1, 2 * size - 1);
  LineRunner runner;
  runner.declare("queue q");
  runner.declare("node n[1-" + text_of(nodes) + "]" + kModel + " gpus=1");
  runner.run("submit one tasks=" + text_of(size) + " gpus=1");
  if (any(0, 1) == 0) runner.run("cycle");
  runner.run("submit two tasks=" + text_of(size) + " gpus=1");
  runner.run("cycle");
  RC_ASSERT(held_by(runner.state(), "one") == (nodes >= size ? size : 0));
  RC_ASSERT(held_by(runner.state(), "two") == 0);
  if (nodes < size) return;
  runner.run("finish one");
  runner.run("cycle");
  RC_ASSERT(held_by(runner.state(), "two") == size);
}

RC_GTEST_PROP(Case016, AGroupHoldsNothingUntilAllOfItFits, ()) {
  LineRunner runner;
  runner.declare("queue q");
  const std::int64_t cards = any(1, 8);
  runner.declare("node n[1-" + text_of(cards) + "]" + kModel + " gpus=1");
  std::vector<std::pair<std::string, std::int64_t>> arrivals;  // job and its group
  std::map<std::int64_t, std::int64_t> members;
  for (std::int64_t group = 0; group < 3; ++group) {
    members[group] = any(1, 3);
    for (std::int64_t m = 0; m < members[group]; ++m) {
      arrivals.emplace_back("j" + text_of(group) + "-" + text_of(m), group);
    }
  }
  for (std::size_t i = arrivals.size(); i > 1; --i) {
    std::swap(arrivals[i - 1],
              arrivals[static_cast<std::size_t>(any(0, static_cast<std::int64_t>(i) - 1))]);
  }
  std::map<std::int64_t, std::int64_t> needed;
  const auto running = [&](std::int64_t group) {
    return std::count_if(arrivals.begin(), arrivals.end(), [&](const auto& one) {
      return one.second == group && is_running(runner.state(), one.first);
    });
  };
  for (const auto& [name, group] : arrivals) {
    const std::int64_t tasks = any(1, 3);
    needed[group] += tasks;
    runner.run("submit " + name + " tasks=" + text_of(tasks) + " gpus=1 group=g" + text_of(group) +
               ":" + text_of(members[group]));
    runner.run("cycle");
    for (const auto& [other, count] : members) {
      RC_ASSERT(running(other) == 0 || running(other) == count);
    }
  }
  // one after the other, every group that can ever fit has run
  std::set<std::int64_t> ran;
  for (int round = 0; round < 3; ++round) {
    for (const auto& [group, count] : members) {
      if (running(group) == 0) continue;
      ran.insert(group);
      for (const auto& [name, of] : arrivals) {
        if (of == group) runner.run("finish " + name);
      }
    }
    runner.run("cycle");
  }
  for (const auto& [group, count] : members) {
    RC_ASSERT(ran.contains(group) == (needed[group] <= cards));
  }
}

RC_GTEST_PROP(Case017, AHoleGoesBeforeNewWorkOrTheGangGivesWayInTime, ()) {
  const std::int64_t size = any(2, 6);
  const std::int64_t grace = any(2, 600);
  const std::int64_t back_after = any(1, 2 * grace);
  const std::int64_t fillers = any(1, 3);
  LineRunner runner;
  runner.declare("queue q");
  runner.run("policy repair_within=" + text_of(grace) + "s");
  runner.declare("node n[1-" + text_of(size) + "]" + kModel + " gpus=1");
  runner.run("submit T tasks=" + text_of(size) + " gpus=1");
  runner.run("cycle");
  runner.run("submit f[1-" + text_of(fillers) + "] gpus=1");
  runner.run("cycle");
  const std::int64_t lost = any(1, size);
  runner.run("cordon n" + text_of(lost));
  runner.run("lose n" + text_of(lost) + ":0");
  runner.run("cycle");
  RC_ASSERT(held_by(runner.state(), "T") == size - 1);
  RC_ASSERT(runner.state().find_job("T")->phase == JobPhase::kRepairing);
  runner.run("advance " + text_of(back_after) + "s");
  runner.run("restore node n" + text_of(lost));
  runner.run("cycle");
  if (back_after < grace) {
    RC_ASSERT(is_running(runner.state(), "T"));
    RC_ASSERT(held_by(runner.state(), "T") == size);
    RC_ASSERT(!is_running(runner.state(), "f1"));
  } else {
    // it waits as a whole, or has begun again as a whole
    const std::int64_t held = held_by(runner.state(), "T");
    RC_ASSERT(held == 0 || held == size);
    RC_ASSERT(runner.state().leases().size() > 0U);
  }
}

RC_GTEST_PROP(Case018, EachOptionalPartHasItsOwnClock, ()) {
  const std::int64_t core = any(1, 4);
  const std::int64_t part = any(2, 4);
  const std::int64_t beside = any(1, 3);
  const std::int64_t grace = any(2, 300);
  LineRunner runner;
  runner.declare("queue q");
  runner.run("policy repair_within=" + text_of(grace) + "s");
  runner.declare("node n1" + std::string(kModel) + " gpus=" + text_of(core) + " has=a:9");
  runner.declare("node n2" + std::string(kModel) + " gpus=" + text_of(part + beside) + " has=b:9");
  runner.run("submit J tasks=" + text_of(core) +
             " gpus=1 needs=a:1 + role E tasks=" + text_of(part) + " gpus=1 optional needs=b:1");
  runner.run("cycle");
  runner.run("submit R tasks=" + text_of(beside) + " gpus=1 needs=b:1");
  runner.run("cycle");
  RC_ASSERT(held_by(runner.state(), "J") == core + part);
  runner.run("lose n2:" + text_of(any(0, part - 1)));
  runner.run("submit S gpus=1 priority=10 needs=b:1");
  runner.run("cycle");
  RC_ASSERT(held_by(runner.state(), "J") == core + part - 1);
  RC_ASSERT(is_running(runner.state(), "S"));
  runner.run("advance " + text_of(grace - 1) + "s");
  RC_ASSERT(held_by(runner.state(), "J") == core + part - 1);
  runner.run("advance 1s");
  runner.run("cycle");
  RC_ASSERT(held_by(runner.state(), "J") == core);
  RC_ASSERT(is_running(runner.state(), "J"));
  RC_ASSERT(held_by(runner.state(), "R") == beside);
  // it comes back as a unit
  runner.run("finish S");
  runner.run("cycle");
  RC_ASSERT(held_by(runner.state(), "J") == core + part);
}

RC_GTEST_PROP(Case021, CountableResourcesAreCheckedWithTheCards, ()) {
  const std::int64_t nodes = any(1, 10);
  const std::int64_t without = any(0, nodes);
  const std::int64_t size = any(1, 10);
  LineRunner runner;
  runner.declare("queue q");
  if (without > 0) {
    runner.declare("node w[1-" + text_of(without) + "]" + kModel + " gpus=4 has=fabric:0");
  }
  if (nodes > without) {
    runner.declare("node n[1-" + text_of(nodes - without) + "]" + kModel + " gpus=4 has=fabric:1");
  }
  runner.run("submit g tasks=" + text_of(size) + " gpus=" + text_of(any(0, 4)) + " needs=fabric:1");
  runner.run("cycle");
  RC_ASSERT(held_by(runner.state(), "g") == (size <= nodes - without ? size : 0));
}

RC_GTEST_PROP(Case023, WhatCannotStartHoldsNothingAndIsTriedWhenRoomComes, ()) {
  const std::int64_t there = any(1, 6);
  const std::int64_t lacking = any(1, 6);
  LineRunner runner;
  runner.declare("queue q");
  runner.declare("node n1" + std::string(kModel) + " gpus=" + text_of(there));
  runner.run("submit g gpus=1 tasks=" + text_of(there + lacking));
  runner.run("cycle");
  const std::size_t journal = runner.state().revision();
  for (std::int64_t i = any(1, 30); i > 0; --i) {
    runner.run("advance " + text_of(any(1, 100)) + "m");
    RC_ASSERT(runner.run("cycle").empty());
    RC_ASSERT(runner.state().leases().size() == 0U);
  }
  RC_ASSERT(runner.session().why(runner.state().find_job("g")->id).front().rule == Rule::kGang);
  RC_ASSERT(runner.state().revision() >= journal);
  runner.run("node n2" + std::string(kModel) + " gpus=" + text_of(lacking));
  runner.run("cycle");
  RC_ASSERT(held_by(runner.state(), "g") == there + lacking);
}

RC_GTEST_PROP(Case063, ASearchForCardsOfOneIslandAlwaysEndsInAnAnswer, ()) {
  std::vector<std::int64_t> islands;
  std::int64_t cards = 0;
  std::string text;
  for (std::int64_t i = any(1, 4); i > 0; --i) {
    islands.push_back(any(1, 16 / 4));
    cards += islands.back();
    text += (text.empty() ? "" : ",") + text_of(islands.back());
  }
  LineRunner runner;
  runner.declare("queue q");
  if (islands.size() == 1) text = "1";
  runner.declare("node n1" + std::string(kModel) + " gpus=" + text_of(cards) + " islands=" + text);
  for (int i = 0; i < 8; ++i) {
    const std::int64_t asked = any(1, 5);
    const std::string name = "j" + std::to_string(i);
    const auto best = std::max_element(islands.begin(), islands.end());
    const std::int64_t largest = *best;
    runner.run("submit " + name + " within=island gpus=" + text_of(asked));
    runner.run("cycle");
    RC_ASSERT(is_running(runner.state(), name) == (asked <= largest));
    if (!is_running(runner.state(), name)) {
      RC_ASSERT(runner.state().find_job(name)->reasons != nullptr);
      runner.run("cancel " + name);
      continue;
    }
    // the free cards of each island, counted anew
    const engine::NodeRecord& node = runner.state().node(NodeIndex(0));
    std::fill(islands.begin(), islands.end(), 0);
    for (std::size_t c = 0; c < node.cards.size(); ++c) {
      if (node.cards[c].is_empty()) ++islands[node.spec->cards[c].island];
    }
  }
}

RC_GTEST_PROP(Case072, NoNodeIsInTwoFabricDomainsAndNoCliqueInMoreThanItHas, ()) {
  const std::int64_t nodes = any(1, 12);
  const std::int64_t most = any(1, 3);
  LineRunner runner;
  runner.declare("queue q");
  runner.run("topology levels=card,node,clique + domain clique:c1 has=fabric-domain:" +
             text_of(most));
  runner.declare("node n[1-" + text_of(nodes) + "]" + kModel +
                 " gpus=4 has=fabric:1 domain=clique:c1");
  std::int64_t left = nodes;
  std::int64_t domains = most;
  std::vector<std::pair<std::string, std::int64_t>> run;
  for (int i = 0; i < 8; ++i) {
    if (!run.empty() && any(0, 3) == 0) {
      runner.run("finish " + run.back().first);
      left += run.back().second;
      ++domains;
      run.pop_back();
    }
    const std::int64_t size = any(1, 6);
    const std::string name = "F" + std::to_string(i);
    runner.run("submit " + name +
               " gpus=1 needs=fabric:1 domain_needs=fabric-domain:1 tasks=" + text_of(size));
    runner.run("cycle");
    const bool fits = size <= left && domains > 0;
    RC_ASSERT(held_by(runner.state(), name) == (fits ? size : 0));
    if (!fits) {
      runner.run("cancel " + name);
      continue;
    }
    left -= size;
    --domains;
    run.emplace_back(name, size);
  }
}

}  // namespace
}  // namespace berth::sim

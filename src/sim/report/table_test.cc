#include "sim/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/testing.h"
#include "sim/report/text_grid.h"
#include "sim/report/work_table.h"

namespace berth::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TextGrid, AlignsByCharacters) {
  TextGrid grid;
  grid.add({std::string("name"), std::string("µs")});
  grid.add({std::string("é"), std::string("1,234")});
  EXPECT_EQ(grid.to_text(Colours::kOff),
            "  name     µs\n"
            "  é     1,234\n");
}

TEST(TextGrid, ControlCharactersNeverReachTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\n\x7f"), "a?[31mb??");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "b é"),
            "a?b é");
}

TEST(TextGrid, ColoursOnlyWhenAsked) {
  EXPECT_EQ(inked("x", Ink::kGood, Colours::kOff), "x");
  EXPECT_EQ(inked("x", Ink::kGood, Colours::kAnsi), "\x1b[36mx\x1b[0m");
  EXPECT_EQ(inked("x", Ink::kPlain, Colours::kAnsi), "x");
}

RunResult without_losses() {
  RunResult run = tiny_run();
  run.work = {{3, 0.125, 0.25}, {}};
  run.interruptions = {};
  run.evictions = {};
  return run;
}

TEST(Table, OfOneRun) {
  EXPECT_EQ(run_table(without_losses(), Colours::kOff), R"(tiny  ·  policy berth  ·  seed 3
4 cards on 2 nodes, 12 jobs submitted in 2 h 00 min of virtual time

  Cards allocated              68.8 %
  Free but unschedulable       16.1 %
  Cards waited for                1.2
  GPU-hours used                  5.5
  Wait, mean               1 min 02 s
  Wait, 99th percentile    6 min 40 s
  Jobs finished                     8
  Jobs waiting at the end           1
  Wait, median                  1.0 s
  Wait, 90th percentile    3 min 20 s
  Wait, longest            6 min 40 s
  Jobs running at the end           2
  Jobs refused                      1
  GPU-hours in start-up           0.0

  Free but unschedulable   berth
  card too small          2.08 %
  MIG placement           1.04 %
  node CPU or memory      4.17 %
  sharing mode            0.52 %
  health                  8.33 %

  Model  nodes  cards  GPU-hours  allocated
  A30        1      2        3.5     87.5 %
  T4         1      2        2.0     50.0 %

               jobs  finished  waiting   wait mean     p50         p90         p99     longest  GPU-hours
  class
    inference     4         3        0      500 ms     0 s       1.0 s       1.0 s       1.0 s        1.5
  size
    1 card       12         8        1  1 min 02 s   1.0 s  3 min 20 s  6 min 40 s  6 min 40 s        5.5
  team
    lab           8         5        1  1 min 36 s  30.0 s  3 min 20 s  6 min 40 s  6 min 40 s        4.0

  Cards by queue, mean  guaranteed  used  fair share   wait mean
  lab                          2.0   2.2         1.5  1 min 36 s
  ops                          0.0   0.2         0.5           –

  Gangs by nodes  leaves / fewest  in one  gangs
  2-3 nodes           1.25 / 1.00  75.0 %      4

  berth  state 0x0000000000c0ffee  1,234 events  in 250 ms
berth warns: T4: 4 promised, 2 exist
)");
}

TEST(Table, OfAComparison) {
  RunResult runs[] = {tiny_run(), tiny_run()};
  runs[0].policy = "best_fit";
  runs[0].models[0].used_gpu_hours = 3;
  runs[0].wait.mean_ms = 90'000;
  runs[1].jobs.waiting = 2;
  const std::string text = comparison_table(runs, Colours::kOff);
  EXPECT_THAT(text, HasSubstr("policies best_fit, berth"));
  EXPECT_THAT(text, HasSubstr("best_fit       berth           difference\n"));
  EXPECT_THAT(text, HasSubstr("62.5 %      68.8 %        ▲ +6.2 points\n"));
  EXPECT_THAT(text, HasSubstr("1 min 30 s  1 min 02 s  ▼ −28.5 s (−31.7 %)\n"));
  EXPECT_THAT(text,
              HasSubstr("Jobs finished                     8           8                 same\n"));
  EXPECT_THAT(text, HasSubstr("  Wait by class  best_fit    p99   berth    p99\n"
                              "  inference        500 ms  1.0 s  500 ms  1.0 s\n"));
  EXPECT_THAT(text, HasSubstr("  Wait by size    best_fit         p99       berth         p99\n"
                              "  1 card        1 min 02 s  6 min 40 s  1 min 02 s  6 min 40 s\n"));
  EXPECT_THAT(text, HasSubstr("guaranteed  best_fit used  fair share   wait mean  berth used"));
  EXPECT_THAT(text, HasSubstr("  2-3 nodes                    1.25 / 1.00  75.0 %      4"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));

  const std::string coloured = comparison_table(runs, Colours::kAnsi);
  EXPECT_THAT(coloured, HasSubstr("\x1b[36m▲ +6.2 points\x1b[0m"));
  EXPECT_THAT(coloured, HasSubstr("\x1b[33m▲ +1 (+100.0 %)\x1b[0m"));
}

TEST(Table, LeavesOutWhatNobodyDid) {
  RunResult run = tiny_run();
  run.classes.push_back({"training", {}, {}, 0});
  EXPECT_THAT(run_table(run, Colours::kOff), Not(HasSubstr("training")));
  RunResult other = tiny_run();
  other.gangs.clear();
  other.queues.clear();
  const RunResult runs[] = {run, other};
  const std::string text = comparison_table(runs, Colours::kOff);
  EXPECT_THAT(text, Not(HasSubstr("training")));
  EXPECT_THAT(text, HasSubstr("2-3 nodes                 1.25 / 1.00  75.0 %      4"));
  EXPECT_THAT(run_table(other, Colours::kOff), Not(HasSubstr("Gangs by nodes")));
}

TEST(Table, LossesOfSeveralRunsStandSideBySide) {
  RunResult runs[] = {tiny_run(), tiny_run()};
  runs[0].policy = "kill";
  runs[1].work.recomputed = {};
  runs[1].team_work = {{"ops", runs[1].work}};
  const std::string text = comparison_table(runs, Colours::kOff);
  EXPECT_THAT(text,
              HasSubstr("  GPU-hours leased, spent on            kill   of all  berth   of all\n"
                        "  useful work                            3.0  54.58 %    3.0  58.72 %\n"));
  EXPECT_THAT(text,
              HasSubstr("done again after an eviction           0.2   3.64 %    0.0   0.00 %\n"));
  EXPECT_THAT(text, HasSubstr("  GPU-hours lost by team  kill  berth\n"
                              "  lab                      2.1    0.0\n"
                              "  ops                      0.0    1.7\n"));
  EXPECT_THAT(text, Not(HasSubstr("train-7")));
}

TEST(Table, OfWhatLeasesWereSpentOn) {
  const RunResult run = tiny_run();
  EXPECT_EQ(work_table({&run, 1}, Colours::kOff), R"(
  GPU-hours leased, spent on            berth   of all
  useful work                             3.0  54.58 %
  prepared for the start                  0.1   2.27 %
  start-up                                0.2   4.55 %
  checkpoints of its own                  0.5   9.10 %
  checkpoints on request                  0.1   1.14 %
  suspended and resumed                   0.0   0.57 %
  started again                           0.4   6.82 %
  idle while draining                     0.0   0.28 %
  waited for what was lost                0.8  13.64 %
  done again after an eviction            0.2   3.64 %
  done again after a node failure         0.1   1.82 %
  done again after a card failure         0.1   0.91 %
  done again after a spot interruption    0.0   0.45 %
  done again after a crash of its own     0.0   0.23 %

  Jobs, each time                     berth
  interrupted by an eviction              2
  interrupted by a node failure           3
  interrupted by a card failure           4
  interrupted by a spot interruption      5
  interrupted by a crash of its own       6
  taken back by pause                     1
  taken back by suspend                   7
  taken back by shrink                    8
  taken back by checkpoint-evict          9
  taken back by kill                     10

  GPU-hours lost by team  berth
  lab                       2.1

  Interrupted jobs, most lost first  interrupted  taken back  done again  lost in all  useful
  train-7                                      4           2         0.4          2.1     3.0
)");
  EXPECT_THAT(run_table(run, Colours::kOff), HasSubstr(R"(
  GPU-hours lost                  2.1
  GPU-hours done again            0.4
  Interruptions of jobs            20
  Jobs taken back                  35
)"));
  const RunResult nothing = without_losses();
  EXPECT_EQ(work_table({&nothing, 1}, Colours::kOff), "");
}

TEST(Table, OfNothing) {
  EXPECT_EQ(comparison_table({}, Colours::kOff), "");
  EXPECT_THAT(run_table(RunResult{}, Colours::kOff), HasSubstr("0 cards on 0 nodes"));
}

TEST(Table, OnlyTheLargestOfManyTeams) {
  RunResult run = tiny_run();
  run.teams.clear();
  for (int i = 0; i < 30; ++i) run.teams.push_back({"team-" + std::to_string(i), {}, {}, i * 1.0});
  const std::string text = run_table(run, Colours::kOff);
  EXPECT_THAT(text, HasSubstr("team (the largest 20 of 30)"));
  EXPECT_THAT(text, HasSubstr("    team-29 "));
  EXPECT_THAT(text, Not(HasSubstr("    team-9 ")));
}

}  // namespace
}  // namespace berth::sim

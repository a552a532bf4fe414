// How long cycles take on a loaded fleet, and what memory it holds.
// Owns: what is timed and how. A cycle is timed in CPU time of its thread.
#pragma once

#include <string_view>

#include "bench/scale/fast_path.h"
#include "bench/scale/jobs.h"
#include "bench/scale/quantiles.h"
#include "engine/cycle/engine.h"

namespace berth::bench::scale {

// What there is before the first cycle.
struct Load {
  double allocated_pct = 0;  // of the cards
  double tasks = 0;          // that run
  double jobs = 0;           // that wait
  double lines = 0;          // of equal jobs of one queue that wait
  double shapes = 0;         // of tasks that wait
  double state_bytes = 0;    // as it is saved
};

struct Figures {
  Load load;
  double first_cycle_ms =
      0;  // nothing is remembered, and no waiting job has been told why it waits
  double first_decisions = 0;   // of that cycle
  double restart_cycle_ms = 0;  // nothing is remembered; there is nothing to decide
  double freed_cycle_ms = 0;    // one in a hundred running jobs has ended
  double freed_decisions = 0;
  Quantiles job_ended_ms;  // a cycle after one of them
  Quantiles job_submitted_ms;
  engine::Effort most_effort;  // of such a cycle, each figure by itself
  double idle_cycle_us = 0;
  double memory_bytes = 0;  // of the process, with one engine and all that it remembers
  FastPath fast_path;
};

// `bytes`: the state of a fleet that is full, at whose waiting jobs no cycle has looked.
Figures measure(std::string_view bytes, Draws& draws);

// Bytes of this process that are in memory.
double resident_bytes();

}  // namespace berth::bench::scale

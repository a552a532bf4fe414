// What the tenants run and wait for: a catalogue of kinds of jobs, and draws from it.
// Owns: the mix and its seeds. Must never place a job.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "bench/scale/tenants.h"
#include "model/job.h"

namespace berth::bench::scale {

enum class Sort : std::uint8_t { kWhole, kShare, kMig, kCpu, kGang };

// A kind of job without its owner.
struct Kind {
  Sort sort = Sort::kWhole;
  JobClass job_class = JobClass::kTraining;
  std::int32_t priority = 0;
  Role role;

  std::uint32_t tasks() const { return role.count; }
};

// Whole cards by 1, 2, 4 and 8; shares of a card; MIG instances; work without cards; gangs of 16 to
// 512 cards in one leaf or one pod: about 240 kinds.
std::vector<Kind> catalogue();

// Which kinds a project submits: a dozen of all, the same each time.
class Draws {
 public:
  explicit Draws(const Tenants& tenants);

  // The next job that waits: one in ten is a gang.
  JobSpecPtr waiting();
  // The next job of a single task, or one that is a gang.
  JobSpecPtr alone();
  JobSpecPtr gang();
  // A replica of a service.
  JobSpecPtr replica();

 private:
  struct Project {
    std::string queue;
    std::vector<std::size_t> alone;  // kinds, the most frequent first
    std::vector<std::size_t> gangs;
    std::vector<std::size_t> replicas;
  };

  void add_project(const std::string& queue, bool serves);
  JobSpecPtr draw(std::vector<std::size_t> Project::*kinds);
  JobSpecPtr spec_of(std::size_t project, std::size_t kind);

  std::vector<Kind> kinds_;
  std::vector<Project> projects_;
  std::map<std::pair<std::size_t, std::size_t>, JobSpecPtr> specs_;
  Rng random_;
};

}  // namespace berth::bench::scale

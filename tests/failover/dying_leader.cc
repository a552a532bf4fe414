// A leader over a journal in SQLite that kills itself with SIGKILL at one of its writes, just
// before it or just after: dying_leader JOURNAL PORT WRITE before|after. Write 0 never comes: it
// leads until its standard input ends.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "cli/serve/clocks.h"
#include "cli/serve/leading.h"
#include "journal/record.h"
#include "journal/sqlite_journal.h"
#include "sim/agents/scaled_clock.h"
#include "tests/failover/kill_points.h"

namespace berth::failover {
namespace {

namespace t = berth::testing;

class DyingJournal final : public control::Journal {
 public:
  DyingJournal(control::Journal& inner, std::uint64_t at, bool is_after)
      : inner_(inner), at_(at), is_after_(is_after) {}

  Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) override {
    const bool is_last = ++writes_ == at_;
    if (is_last && !is_after_) ::raise(SIGKILL);
    Status done = inner_.append(first_revision, batches);
    if (is_last) ::raise(SIGKILL);
    return done;
  }
  Status replay(std::uint64_t after,
                const std::function<Status(const EventBatch&)>& visit) const override {
    return inner_.replay(after, visit);
  }

 private:
  control::Journal& inner_;
  std::uint64_t at_;
  bool is_after_;
  std::uint64_t writes_ = 0;  // of the writer's thread
};

// One record for each commit, so that whoever reads can count writes.
class Teller final : public control::Subscriber {
 public:
  void begin(const engine::ClusterState& /*state*/) override {}
  void committed(std::uint64_t first_revision, std::vector<EventBatch> batches) override {
    EventBatch all;
    for (EventBatch& batch : batches) {
      for (Event& event : batch) all.push_back(std::move(event));
    }
    std::string bytes;
    journal::append_record(bytes, first_revision, all);
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t written = ::write(kTold, bytes.data() + at, bytes.size() - at);
      if (written <= 0) ::_exit(2);
      at += static_cast<std::size_t>(written);
    }
  }
};

JobSpec job(const std::string& queue, std::uint32_t cards, std::uint32_t tasks, DurationMs run_ms) {
  JobSpec spec = t::job(queue, t::whole(cards), tasks);
  spec.run_time_ms = run_ms;
  return spec;
}

// The request ids make it harmless that what was asked of a leader before is asked again.
void submit(control::ControlLoop& loop, const std::string& name, JobSpec spec) {
  static_cast<void>(loop.execute(
      {SubmitJob{name, std::make_shared<const JobSpec>(std::move(spec))}, name, "test"}));
}

void obey(control::ControlLoop& loop, const std::string& word) {
  if (word == kBystander) submit(loop, kBystander, job("owner", 1, 1, 1000 * kHourMs));
  if (word == kGuest) submit(loop, kGuest, job("guest", 4, 1, 1000 * kHourMs));
  if (word != kAsk) return;
  submit(loop, "gang", job("owner", 3, 2, 30 * kSecondMs));
  static_cast<void>(loop.execute({ChangeLayout{"cut", 0, {{"7g.80gb", 0}}}, "layout", "test"}));
}

int lead(const std::string& path, const std::string& port, std::uint64_t at, bool is_after) {
  auto sqlite = journal::SqliteJournal::open(path);
  if (!sqlite) {
    std::fprintf(stderr, "%s\n", sqlite.error().to_text().c_str());
    return 1;
  }
  cli::WallClock wall;
  sim::ScaledClock clock(wall, kSpeed, kSpeed * wall.now());  // the same time in each process
  control::NoMetrics metrics;
  Teller teller;
  DyingJournal journal(**sqlite, at, is_after);
  cli::LeadingOptions options;
  options.agents_address = "127.0.0.1:" + port;
  options.agents_token = kAgentsToken;
  auto led = cli::Leading::start({journal, **sqlite, teller, clock, wall, metrics},
                                 std::move(options), fleet());
  if (!led) {
    std::fprintf(stderr, "%s\n", led.error().to_text().c_str());
    return 1;
  }
  for (std::string word; std::getline(std::cin, word);) obey(*(*led)->loop(), word);
  return 0;
}

}  // namespace
}  // namespace berth::failover

int main(int count, char** words) {
  if (count != 5) return 64;
  return berth::failover::lead(words[1], words[2], std::stoull(words[3]),
                               std::string(words[4]) == "after");
}

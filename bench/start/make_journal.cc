#include "bench/start/make_journal.h"

#include <algorithm>
#include <vector>

#include "base/rng.h"
#include "bench/common/progress.h"
#include "bench/scale/load.h"
#include "control/controller.h"
#include "journal/sqlite_journal.h"

namespace berth::bench::start {
namespace {

constexpr std::uint64_t kSeed = 7;
constexpr std::size_t kChangesOfACycle = 50;  // jobs that end, and that come, before each
constexpr std::size_t kAppend = 1'000;        // batches

// The end of a journal, written in large calls.
class Writer {
 public:
  explicit Writer(journal::SqliteJournal& journal) : journal_(journal) {}

  void take(const EventBatch& news) {
    if (news.empty()) return;
    waiting_.push_back(news);
    if (waiting_.size() >= kAppend) flush();
  }
  Status flush() {
    if (done_ && !waiting_.empty()) done_ = journal_.append(journal_.revision(), waiting_);
    waiting_.clear();
    return done_;
  }

 private:
  journal::SqliteJournal& journal_;
  std::vector<EventBatch> waiting_;
  Status done_;
};

// Jobs end and come, and a cycle places what fits.
void churn(scale::Cluster& cluster, scale::Draws& draws, Rng& random) {
  std::vector<JobId> running = scale::running_jobs(cluster.state());
  for (std::size_t i = 0; i < kChangesOfACycle && !running.empty(); ++i) {
    const std::size_t which = random.below(running.size());
    cluster.end(running[which]);
    running[which] = running.back();
    running.pop_back();
    cluster.submit(draws.waiting());
  }
  cluster.pass(kSecondMs);
  cluster.carry_out(cluster.engine().plan(cluster.now()));
}

}  // namespace

Result<MadeJournal> make_journal(const std::string& path, const scale::Size& size,
                                 std::size_t tail_events) {
  auto journal = journal::SqliteJournal::open(path);
  if (!journal) return tl::unexpected(journal.error());
  const auto tenants = scale::tenants_of(size);
  if (!tenants) return tl::unexpected(tenants.error());
  scale::Draws draws(*tenants);
  scale::Cluster cluster;
  Progress progress("start", scale::kFillSteps + 1);
  Writer writer(**journal);
  scale::fill(cluster, *tenants, size, draws, progress,
              [&writer](const EventBatch& news) { writer.take(news); });
  if (auto s = writer.flush(); !s) return tl::unexpected(s.error());
  MadeJournal made;
  const control::Snapshot snapshot = control::snapshot_of(cluster.state(), {});
  made.state_bytes = snapshot.bytes.size();
  made.cards = size.cards();
  const std::uint64_t snapshot_at = (*journal)->revision();
  if (auto s = (*journal)->save(snapshot); !s) return tl::unexpected(s.error());
  Rng random(kSeed);
  while ((*journal)->revision() < snapshot_at + tail_events) {
    churn(cluster, draws, random);
    writer.take(cluster.news());
    cluster.news().clear();
    if (auto s = writer.flush(); !s) return tl::unexpected(s.error());
  }
  progress.step("tail");
  made.revision = (*journal)->revision();
  made.tail = made.revision - snapshot_at;
  made.leases = cluster.state().leases().size();
  made.waiting = cluster.state().pending().size();
  return made;
}

}  // namespace berth::bench::start

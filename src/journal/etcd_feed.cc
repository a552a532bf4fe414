#include "journal/etcd_feed.h"

#include <algorithm>
#include <utility>

#include "journal/etcd_cursor.h"
#include "journal/stoppable_pause.h"

namespace berth::journal {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How often the journal's end is asked for: what a follower's mark is older than at most, as long
// as etcd answers, and half of the time in which a silent watch is found out.
constexpr milliseconds kCheck{500};
constexpr milliseconds kPause{50};  // before it begins anew

// One following.
class Follower {
 public:
  Follower(const EtcdReader& reader, std::uint64_t after, const EtcdCursor::Visit& visit,
           const std::function<void(const control::FeedMark&)>& caught_up,
           const std::stop_token& stop)
      : reader_(reader), caught_up_(caught_up), stop_(stop), cursor_(reader, after, visit) {}

  Status run() {
    while (!stop_.stop_requested()) {
      if (Status s = read_to_the_end(); !s) {
        const bool may_pass = s.error().code == ErrorCode::kUnavailable && !cursor_.was_stopped();
        if (!may_pass) return s;
      } else if (Status watched = watch(); cursor_.was_stopped()) {
        return watched;
      }
      // What else ends a watch is found out by reading.
      pause_for(kPause, stop_);
    }
    return {};
  }

 private:
  Status read_to_the_end() {
    const auto asked = Clock::now();
    Status read = cursor_.read_all();
    if (read) {
      caught_up_({cursor_.next(), asked});
      return {};
    }
    if (cursor_.was_stopped() || read.error().code != ErrorCode::kNotFound) return read;
    return compacted(read.error());
  }

  // What comes next is not there. That was compaction if there is a snapshot to go on from.
  Status compacted(const Error& missing) const {
    const auto snapshots = reader_.snapshots();
    if (!snapshots) return tl::unexpected(snapshots.error());
    if (snapshots->empty() || snapshots->back() <= cursor_.next()) {
      return fail(ErrorCode::kCorrupt, missing.message);
    }
    return reader_.fail(ErrorCode::kNotFound, "what follows revision " +
                                                  std::to_string(cursor_.next()) +
                                                  " is compacted: load the newest snapshot");
  }

  // Until it breaks, or the follower is stopped.
  Status watch() {
    const EtcdKeys log = reader_.layout().all(EtcdLayout::Folder::kLog);
    const auto watch = reader_.client().watch(log.begin, log.end, cursor_.as_of() + 1);
    const std::stop_callback cancel(stop_, [&] { watch->cancel(); });
    promised_ = cursor_.next();
    for (auto check = Clock::now() + kCheck; !stop_.stop_requested();) {
      const auto left = std::chrono::ceil<milliseconds>(check - Clock::now());
      const auto news = watch->next(std::max(left, milliseconds(0)).count());
      if (!news) return tl::unexpected(news.error());
      for (const EtcdChange& change : *news) {
        if (change.kind != EtcdChange::Kind::kPut) continue;
        if (auto s = cursor_.take(change.entry); !s) return s;
      }
      if (Clock::now() < check) continue;
      if (auto s = compare_with_end(); !s) return s;
      check = Clock::now() + kCheck;
    }
    return {};
  }

  // A watch may be late by what was appended since the last check, and not by more.
  Status compare_with_end() {
    if (cursor_.next() < promised_) {
      return reader_.fail(ErrorCode::kUnavailable, "a watch has fallen silent");
    }
    const auto asked = Clock::now();
    const auto head = reader_.head();
    if (!head) return tl::unexpected(head.error());
    promised_ = head->stored.revision;
    if (cursor_.next() >= promised_) caught_up_({cursor_.next(), asked});
    return {};
  }

  const EtcdReader& reader_;
  const std::function<void(const control::FeedMark&)>& caught_up_;
  const std::stop_token& stop_;
  EtcdCursor cursor_;
  std::uint64_t promised_ = 0;  // where the journal ended at the last check
};

}  // namespace

Result<std::unique_ptr<EtcdFeed>> EtcdFeed::open(EtcdSettings settings, std::string prefix) {
  settings.patience_ms = settings.attempt_ms;  // it tries on by itself, and can be stopped between
  auto reader = EtcdReader::open(settings, std::move(prefix));
  if (!reader) return tl::unexpected(reader.error());
  return std::unique_ptr<EtcdFeed>(new EtcdFeed(std::move(*reader)));
}

Status EtcdFeed::follow(std::uint64_t after, const std::function<Status(const EventBatch&)>& visit,
                        const std::function<void(const control::FeedMark&)>& caught_up,
                        const std::stop_token& stop) const {
  return Follower(reader_, after, visit, caught_up, stop).run();
}

}  // namespace berth::journal

#include "cli/serve/replicated.h"

#include <algorithm>

#include "cli/serve/log.h"
#include "journal/aside_snapshots.h"
#include "journal/etcd_feed.h"
#include "journal/etcd_journal.h"
#include "journal/stoppable_pause.h"

namespace berth::cli {
namespace {

constexpr auto kPause = std::chrono::milliseconds(500);
constexpr auto kLongestPause = std::chrono::seconds(30);
// So long the address of the leader is believed before etcd is asked again.
constexpr auto kLeaderBelieved = std::chrono::milliseconds(500);

}  // namespace

Replicated::Replicated(ReplicatedOptions options, server::Replica& replica, Lead lead,
                       Switch on_switch)
    : options_(std::move(options)),
      replica_(replica),
      lead_(std::move(lead)),
      on_switch_(std::move(on_switch)) {}

Replicated::~Replicated() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

Result<std::unique_ptr<Replicated>> Replicated::start(ReplicatedOptions options,
                                                      server::Replica& replica, Lead lead,
                                                      Switch on_switch) {
  auto server = std::unique_ptr<Replicated>(
      new Replicated(std::move(options), replica, std::move(lead), std::move(on_switch)));
  const ReplicatedOptions& given = server->options_;
  auto feed = journal::EtcdFeed::open(given.etcd, given.prefix);
  if (!feed) return tl::unexpected(feed.error());
  server->feed_ = std::move(*feed);
  auto leadership =
      journal::EtcdLeadership::open(given.etcd, given.prefix, {given.address, given.ttl_ms});
  if (!leadership) return tl::unexpected(leadership.error());
  server->leadership_ = std::move(*leadership);
  server->thread_ =
      std::jthread([at = server.get()](const std::stop_token& stop) { at->run(stop); });
  return server;
}

std::optional<DurationMs> Replicated::staleness() const {
  if (leads_) return 0;
  const std::lock_guard lock(mutex_);
  return following_ == nullptr ? std::nullopt : following_->staleness();
}

std::optional<std::string> Replicated::leader() const {
  const std::lock_guard lock(leader_mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (leader_ && now - looked_at_ < kLeaderBelieved) return leader_;
  const auto found = leadership_->leader();
  looked_at_ = now;
  leader_.reset();
  if (found && *found) leader_ = (*found)->address;
  return leader_;
}

void Replicated::run(const std::stop_token& stop) {
  std::chrono::milliseconds pause = kPause;
  while (!stop.stop_requested()) {
    {
      const std::lock_guard lock(mutex_);
      following_ = std::make_unique<Following>(*feed_, replica_);
    }
    const auto term = wait_for_term(stop);
    if (!term) break;
    std::unique_ptr<Following> before;
    {
      const std::lock_guard lock(mutex_);
      before = std::move(following_);
    }
    before.reset();
    const bool has_led = lead(*term, stop);
    // Whoever can't lead leaves it to others, longer each time: each try begins a term.
    if (has_led) pause = kPause;
    if (has_led) continue;
    journal::pause_for(pause, stop);
    pause = std::min<std::chrono::milliseconds>(2 * pause, kLongestPause);
  }
  const std::lock_guard lock(mutex_);
  following_.reset();
}

std::optional<control::Term> Replicated::wait_for_term(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto term = leadership_->campaign(stop);
    if (term) return *term;
    log_line(LogLevel::kError, "standing for election: " + term.error().to_text());
    if (term.error().code == ErrorCode::kLimitExceeded) give_room_back();
    journal::pause_for(kPause, stop);
  }
  return std::nullopt;
}

// While the store is full nobody can be elected; what snapshots make needless, anybody may forget.
void Replicated::give_room_back() const {
  const auto journal = journal::EtcdJournal::open(options_.etcd, options_.prefix, std::nullopt);
  const Status done = journal ? (*journal)->compact() : tl::unexpected(journal.error());
  if (!done) log_line(LogLevel::kError, "giving room back to etcd: " + done.error().to_text());
}

// Until the term is over, the journal refuses, or the server stops. False: it could not begin.
bool Replicated::lead(const control::Term& term, const std::stop_token& stop) {
  log_line(LogLevel::kInfo, "elected, term " + std::to_string(term.number));
  std::stop_source over;
  const std::stop_callback on_stop(stop, [&over] { over.request_stop(); });
  const auto failed = [&over](const Error& error) {
    log_line(LogLevel::kError, "leading ends: " + error.to_text());
    over.request_stop();
  };
  bool has_led = false;
  auto journal = journal::EtcdJournal::open(options_.etcd, options_.prefix, term);
  if (!journal) {
    failed(journal.error());
  } else {
    journal::AsideSnapshots snapshots(**journal, tell_trouble_of_snapshots);
    auto leading = lead_(**journal, snapshots, term.number, failed);
    if (!leading) {
      failed(leading.error());
    } else {
      on_switch_(leading->get());
      leads_ = has_led = true;
      log_line(LogLevel::kInfo, "leading from revision " + std::to_string((*journal)->revision()));
      if (const auto lost = leadership_->wait_lost(over.get_token())) {
        log_line(LogLevel::kWarning, "leads no more: " + lost->to_text());
      }
      leads_ = false;
      on_switch_(nullptr);
      leading->reset();
    }
  }
  if (auto s = leadership_->resign(); !s) {
    log_line(LogLevel::kWarning, "giving up leadership: " + s.error().to_text());
  }
  return has_led;
}

}  // namespace berth::cli

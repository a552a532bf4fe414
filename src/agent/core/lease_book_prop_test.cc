// Whatever a network does to the messages, a grant runs once, no card has two owners, and both
// sides agree in the end.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "agent/core/testing.h"
#include "base/rng.h"

namespace berth::agent {
namespace {

using testing::grant;
using testing::order;

constexpr std::uint64_t kLeases = 6;
constexpr std::uint16_t kCards = 3;

// A runner that does what it is told, when the test lets it, and checks what it is told.
class Runner {
 public:
  void follow(const Outcome& outcome, const LeaseBook& book) {
    for (const TaskAction& action : outcome.tasks) take(action, book);
    std::set<std::uint16_t> taken;
    for (const auto& [lease, task] : book.tasks()) {
      for (const CardGrant& card : task.grant.cards) {
        RC_ASSERT(taken.insert(card.card).second);  // whole cards: one owner each
      }
    }
  }
  // One of the things that it has under way happens.
  Outcome happen(LeaseBook& book, Rng& rng) {
    if (alive_.empty()) return {};
    auto at = alive_.begin();
    std::advance(at, static_cast<long>(rng.below(alive_.size())));
    const LeaseKey key = at->first;
    const State state = at->second;
    switch (state) {
      case State::kPreparing:
        at->second = State::kIdle;
        if (rng.below(4) > 0) return book.prepared(key);
        alive_.erase(at);
        return book.prepare_failed(key, "no");
      case State::kRunning:
        if (rng.below(2) == 0) return book.checkpoint(key, "c");
        alive_.erase(at);
        return book.ended(key, EndReason::kSucceeded);
      case State::kGoing:
        alive_.erase(at);
        return book.released(key, "");
      case State::kIdle:
        return {};
    }
    return {};
  }
  bool is_alive(LeaseKey key) const { return alive_.contains(key); }

 private:
  enum class State { kPreparing, kIdle, kRunning, kGoing };
  void take(const TaskAction& action, const LeaseBook& book) {
    switch (action.kind) {
      case ActionKind::kPrepare:
        RC_ASSERT(prepared_.insert(action.key).second);  // each grant once
        RC_ASSERT(book.find(action.key.lease) != nullptr);
        alive_[action.key] = State::kPreparing;
        break;
      case ActionKind::kStart:
        RC_ASSERT(started_.insert(action.key).second);
        RC_ASSERT(alive_.at(action.key) == State::kIdle);
        alive_[action.key] = State::kRunning;
        break;
      default:
        RC_ASSERT(alive_.contains(action.key));
        alive_[action.key] = State::kGoing;
    }
  }

  std::map<LeaseKey, State> alive_;
  std::set<LeaseKey> prepared_;
  std::set<LeaseKey> started_;
};

// What a server wants of a lease: it grants, starts once it is prepared, takes back, and gives the
// card on when the end is reported.
class Server {
 public:
  void step(Rng& rng) {
    const std::uint64_t id = 1 + rng.below(kLeases);
    Wanted& lease = leases_[id];
    switch (lease.stage) {
      case Stage::kNone: {
        const auto card = static_cast<std::uint16_t>(rng.below(kCards));
        if (!owner_.try_emplace(card, id).second) return;
        ++lease.epoch;
        lease.card = card;
        lease.stage = Stage::kGranted;
        break;
      }
      case Stage::kPrepared:
        lease.stage = Stage::kStarted;
        break;
      case Stage::kGranted:
      case Stage::kStarted:
        if (rng.below(2) == 0) lease.stage = Stage::kRevoked;
        break;
      case Stage::kRevoked:
        break;
    }
  }
  std::optional<Order> wish(std::uint64_t id) const {
    const Wanted& lease = leases_.at(id);
    switch (lease.stage) {
      case Stage::kNone:
      case Stage::kPrepared:
        return std::nullopt;
      case Stage::kGranted:
        return order(PrepareOrder{grant(id, lease.card, lease.epoch)});
      case Stage::kStarted:
        return order(StartOrder{testing::key(id, lease.epoch)});
      case Stage::kRevoked:
        return order(RevokeOrder{testing::key(id, lease.epoch), ReclaimGrade::kKill, 0, 0, {}});
    }
    return std::nullopt;
  }
  void hear(const Report& report) {
    const LeaseKey key = key_of(report.body);
    const auto found = leases_.find(key.lease.value());
    if (found == leases_.end() || found->second.epoch != key.epoch) return;  // late
    Wanted& lease = found->second;
    if (std::holds_alternative<ReportPrepared>(report.body)) {
      if (lease.stage == Stage::kGranted) lease.stage = Stage::kPrepared;
    } else if (is_final(report.body) && lease.stage != Stage::kNone) {
      lease.stage = Stage::kNone;
      owner_.erase(lease.card);
    }
  }
  std::vector<std::uint64_t> ids() const {
    std::vector<std::uint64_t> known;
    for (const auto& [id, lease] : leases_) known.push_back(id);
    return known;
  }
  void revoke_all() {
    for (auto& [id, lease] : leases_) {
      if (lease.stage != Stage::kNone) lease.stage = Stage::kRevoked;
    }
  }
  bool wants_nothing() const { return owner_.empty(); }

 private:
  enum class Stage { kNone, kGranted, kPrepared, kStarted, kRevoked };
  struct Wanted {
    Stage stage = Stage::kNone;
    std::uint64_t epoch = 0;
    std::uint16_t card = 0;
  };
  std::map<std::uint64_t, Wanted> leases_;
  std::map<std::uint16_t, std::uint64_t> owner_;
};

class World {
 public:
  explicit World(std::uint64_t seed) : rng_(seed) {}

  void step() {
    switch (rng_.below(6)) {
      case 0:
        return server_.step(rng_);
      case 1:
        return send();
      case 2:
        return deliver();
      case 3:
        return follow(runner_.happen(book_, rng_));
      case 4:
        return report();
      default:
        if (rng_.below(10) == 0) restart();
    }
  }
  // A network without faults, and a server that takes everything back.
  void settle() {
    for (int round = 0; round < 40; ++round) {
      server_.revoke_all();
      for (const std::uint64_t id : server_.ids()) {
        if (const auto wish = server_.wish(id)) follow(book_.order(*wish, 0));
      }
      for (int i = 0; i < 20; ++i) follow(runner_.happen(book_, rng_));
      for (const Report& report : book_.unacknowledged()) {
        server_.hear(report);
        book_.acknowledge(report.number);
      }
    }
    RC_ASSERT(server_.wants_nothing());
    RC_ASSERT(book_.tasks().empty());
    RC_ASSERT(book_.held().empty());
  }

 private:
  // Orders stay in flight for any time: they are lost, doubled, overtaken.
  void send() {
    for (const std::uint64_t id : server_.ids()) {
      if (const auto wish = server_.wish(id)) in_flight_.push_back(*wish);
    }
    if (in_flight_.size() > 40) in_flight_.erase(in_flight_.begin(), in_flight_.begin() + 10);
  }
  void deliver() {
    if (in_flight_.empty()) return;
    const std::size_t at = rng_.below(in_flight_.size());
    const Order taken = in_flight_[at];
    if (rng_.below(3) > 0) in_flight_.erase(in_flight_.begin() + static_cast<long>(at));
    follow(book_.order(taken, 0));
  }
  // Some of what waits arrives, some of that is acknowledged.
  void report() {
    for (const Report& waiting : book_.unacknowledged()) {
      if (rng_.below(3) == 0) return;
      server_.hear(waiting);
      if (rng_.below(2) == 0) book_.acknowledge(waiting.number);
    }
  }
  void restart() {
    auto loaded = LeaseBook::load(book_.save());
    RC_ASSERT(loaded.has_value());
    book_ = std::move(*loaded);
  }
  void follow(const Outcome& outcome) { runner_.follow(outcome, book_); }

  Rng rng_;
  Server server_;
  LeaseBook book_;
  Runner runner_;
  std::vector<Order> in_flight_;
};

RC_GTEST_PROP(LeaseBookProp, AGrantRunsOnceAndBothSidesAgreeInTheEnd, (std::uint64_t seed)) {
  World world(seed);
  for (int i = 0; i < 300; ++i) world.step();
  world.settle();
}

}  // namespace
}  // namespace berth::agent

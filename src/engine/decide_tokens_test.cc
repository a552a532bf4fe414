// Which tokens are issued and revoked, and what of it stays; who asked is in the events.
#include "engine/decide_tokens.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/decide.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

class Tokens : public ::testing::Test {
 protected:
  Tokens() { EXPECT_EQ(run({DeclareQueue{t::queue("team")}, {}, {}}), ""); }

  static Token token(const std::string& id, const std::string& name, TimeMs expires_at = kNever) {
    return {id, name, std::string(64, 'a'), "tenant", "team", expires_at};
  }
  // The error, or nothing; the events are in `last`.
  std::string run(const Command& command) {
    auto events = decide(state, command, now);
    if (!events) return events.error().to_text();
    last.clear();
    for (const Event& event : *events) {
      state.apply(event);
      last.emplace_back(event_name(event.body));
    }
    return "";
  }
  std::string issue(Token made) { return run({IssueToken{std::move(made)}, {}, {}}); }

  ClusterState state;
  TimeMs now = 1000;
  std::vector<std::string> last;
};

TEST_F(Tokens, AreKeptUntilTheyAreRevokedAndSurviveASave) {
  ASSERT_EQ(issue(token("t1", "ci", 5000)), "");
  const auto loaded = ClusterState::load(state.save());
  ASSERT_TRUE(loaded) << loaded.error().to_text();
  const TokenRecord& kept = loaded->ledger().tokens.at("t1");
  EXPECT_EQ(kept.token->name, "ci");
  EXPECT_EQ(kept.token->queue, "team");
  EXPECT_EQ(kept.token->expires_at, 5000);
  EXPECT_EQ(kept.issued_at, 1000);
  EXPECT_EQ(run({RevokeToken{"t1"}, {}, {}}), "");
  EXPECT_TRUE(state.ledger().tokens.empty());
  EXPECT_EQ(state.ledger().tokens_issued, 1U);
  EXPECT_NE(run({RevokeToken{"t1"}, {}, {}}), "") << "it has gone";
}

TEST_F(Tokens, WhatIsWrongWithOneIsSaidAndChangesNothing) {
  ASSERT_EQ(issue(token("t1", "ci")), "");
  EXPECT_NE(issue(token("t1", "other")).find("exists"), std::string::npos);
  EXPECT_NE(issue(token("t2", "ci")).find("the name of token 't1'"), std::string::npos);
  EXPECT_NE(issue(token("t2", "ab", 1000)).find("in the past"), std::string::npos);
  Token wrong = token("t2", "ab");
  wrong.queue = "taem";
  EXPECT_NE(issue(wrong).find("did you mean 'team'?"), std::string::npos);
  wrong = token("t2", "ab");
  wrong.hash = "berth_t2_secret";
  const std::string error = issue(wrong);
  EXPECT_NE(error.find("hash"), std::string::npos);
  EXPECT_EQ(error.find("secret"), std::string::npos) << "a secret given by mistake is not repeated";
  EXPECT_EQ(state.ledger().tokens.size(), 1U);
}

TEST_F(Tokens, LongExpiredOnesMakeRoom) {
  ASSERT_EQ(issue(token("t1", "ci", 2000)), "");
  now = 2000 + kExpiredTokenKeptMs;
  EXPECT_NE(issue(token("t2", "ci")), "") << "it may still be looked at";
  now += 1;
  EXPECT_EQ(issue(token("t2", "ci")), "");
  EXPECT_EQ(last, (std::vector<std::string>{"token-revoked", "token-issued"}));
  EXPECT_EQ(state.ledger().tokens.size(), 1U);
}

TEST_F(Tokens, ACommandWithAnActorLeavesWhoAskedAndForWhatAndNothingElse) {
  ASSERT_EQ(run({DeclareQueue{t::queue("a")}, {}, {}}), "");
  EXPECT_EQ(last, (std::vector<std::string>{"queue-declared"}));
  ASSERT_EQ(run({DeclareQueue{t::queue("b")}, "key", "alice"}), "");
  EXPECT_EQ(last, (std::vector<std::string>{"queue-declared", "request-seen", "actor-noted"}));
  const auto events = decide(state, {DeclareQueue{t::queue("c")}, {}, "alice"}, now);
  ASSERT_TRUE(events);
  const auto& noted = std::get<ActorNoted>(events->back().body);
  EXPECT_EQ(noted.actor, "alice");
  EXPECT_EQ(noted.verb, "declare-queue");
  const std::string before = state.save();
  ClusterState after = state;
  after.apply({now, noted});
  EXPECT_EQ(after.revision(), state.revision() + 1);
  EXPECT_EQ(after.ledger().tokens.size(), 0U);
  EXPECT_EQ(after.save().size(), before.size()) << "only the revision has changed";
}

TEST_F(Tokens, ARefusedCommandLeavesNoTrace) {
  EXPECT_NE(run({RevokeToken{"none"}, "key", "mallory"}), "");
  EXPECT_EQ(state.seen_request("key"), nullptr);
}

}  // namespace
}  // namespace berth::engine

// Tokens of the API, and the audit trail, as facts of the cluster. A token is kept by the hash of
// its secret: the secret itself must never enter a command, an event or the state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/units.h"

namespace berth {

// What a role may do and when a token is over is the server's to judge.
struct Token {
  std::string id;
  std::string name;  // who it speaks for, in the audit trail; one token a name
  std::string hash;  // SHA-256 of the whole secret, in lower-case hex
  std::string role;
  std::string queue;  // root of what it may see and use; empty: the whole tree
  TimeMs expires_at = kNever;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.id, self.name, self.hash, self.role, self.queue, self.expires_at);
  }
};

// Tokens kept at a time. Those that have expired for so long make room when others are issued.
inline constexpr std::size_t kTokensKept = 10'000;
inline constexpr DurationMs kExpiredTokenKeptMs = 7 * 24 * kHourMs;

// Its words are well-formed; whether its queue exists is the state's to say.
Status validate(const Token& token);

struct TokenIssued {
  std::shared_ptr<const Token> token;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.token);
  }
};
struct TokenRevoked {
  std::string id;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.id);
  }
};
// Who asked for the batch that this event ends, and what for. It changes nothing.
struct ActorNoted {
  std::string actor;
  std::string verb;  // of the command, see command_name

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.actor, self.verb);
  }
};

}  // namespace berth

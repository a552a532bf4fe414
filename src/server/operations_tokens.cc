// Tokens: issue, list, revoke. The secret is in the answer to its issue and nowhere else.
#include <algorithm>
#include <limits>

#include "server/operations.h"
#include "server/page.h"
#include "server/timestamp.h"
#include "server/token_book.h"
#include "server/token_secret.h"
#include "server/views.h"

namespace berth::server {
namespace {

constexpr DurationMs kDay = 24 * kHourMs;
constexpr DurationMs kShortest = kMinuteMs;
constexpr DurationMs kLongest = 10 * 365 * kDay;
constexpr DurationMs kUsual = 90 * kDay;

// The body of an issue.
struct TokenRequest {
  std::string name;
  Role role = Role::kTenant;
  std::string queue;
  DurationMs expires_in_ms = kUsual;
};

struct TokenView {
  std::string id;
  std::string name;
  std::string role;
  std::string queue;
  TimeMs issued_at = 0;
  TimeMs expires_at = kNever;
  bool expired = false;
  std::string secret;  // of the answer to its issue only
};

}  // namespace
}  // namespace berth::server

namespace berth::codec {
template <>
struct Describe<server::TokenRequest> : Described<server::TokenRequest> {
  static const ObjectSchema<server::TokenRequest>& schema() {
    static const ObjectSchema<server::TokenRequest> kSchema = [] {
      using R = server::TokenRequest;
      ObjectSchema<R> s("token_request", "A token that is wanted.");
      s.field("name", &R::name, name()).required().text("Who it is for; one token a name.");
      s.field("role", &R::role, words()).required().text("What it may do.");
      s.field("queue", &R::queue, optional_name())
          .when_absent("the whole tree")
          .text("Root of what it may see and use; a tenant and a viewer need one.");
      s.field("expires_in", &R::expires_in_ms, duration(server::kShortest, server::kLongest))
          .member("expires_in_ms")
          .text("How long it opens anything.");
      s.rule([](const R& request) { return server::check_role(request.role, request.queue); });
      return s;
    }();
    return kSchema;
  }
};
template <>
struct Describe<server::TokenView> : Described<server::TokenView> {
  static const ObjectSchema<server::TokenView>& schema() {
    static const ObjectSchema<server::TokenView> kSchema = [] {
      using V = server::TokenView;
      ObjectSchema<V> s("token", "A token of the API.");
      s.field("id", &V::id, name()).required().text("Its id.");
      s.field("name", &V::name, name()).required().text("Who it is for.");
      s.field("role", &V::role, name()).required().text("What it may do.");
      s.field("queue", &V::queue, optional_name()).text("Root of what it may see and use.");
      s.field("issued_at", &V::issued_at, server::timestamp()).required().text("When it was made.");
      s.field("expires_at", &V::expires_at, server::timestamp()).text("When it is over.");
      s.field("expired", &V::expired, flag()).text("It is over.");
      s.field("secret", &V::secret, text(256)).text("Only in the answer to its issue, once.");
      return s;
    }();
    return kSchema;
  }
};
}  // namespace berth::codec

namespace berth::server {
namespace {

TokenView view_of(const Token& token, TimeMs issued_at, TimeMs now) {
  return {token.id,
          token.name,
          token.role,
          token.queue,
          issued_at,
          token.expires_at,
          token.expires_at <= now,
          {}};
}

void list_tokens(const CallPtr& call) {
  call->answer(page_document(call->service().replica.read([](const Reading& reading) {
    Page page;
    page.revision = reading.state().revision();
    for (const auto& [id, record] : reading.state().ledger().tokens) {
      page.items.append(codec::to_document(view_of(*record.token, record.issued_at, reading.now)));
    }
    return page;
  })));
}

// A retry of a request that was carried out cannot show the secret again.
void answer_issued(const CallPtr& call, const Token& token, const std::string& secret, TimeMs now) {
  if (call->service().replica.tokens().find(token.id) == nullptr) {
    return call->refuse({ErrorCode::kConflict,
                         "this request was carried out before, and a secret is shown once; revoke "
                         "token '" +
                             token.name + "' and issue another",
                         "", 0});
  }
  TokenView view = view_of(token, now, now);
  view.secret = secret;
  call->answer(codec::to_document(view));
}

void issue_token(const CallPtr& call) {
  const auto request = call->body<TokenRequest>();
  if (!request) return call->refuse(request.error());
  const auto made = make_secret();
  if (!made) return call->refuse(made.error());
  const TimeMs now = call->service().replica.read([](const Reading& at) { return at.now; });
  const Token token{made->id,       request->name,
                    made->hash,     std::string(word(request->role)),
                    request->queue, now + request->expires_in_ms};
  call->post(IssueToken{token},
             [call, token, secret = made->secret, now](const control::Reply& /*reply*/) {
               answer_issued(call, token, secret, now);
             });
}

void revoke_token(const CallPtr& call) {
  const std::string& id = call->path("id");
  call->post(RevokeToken{id}, [call](const control::Reply& reply) {
    call->answer(changed_document(call->path("id"), reply));
  });
}

}  // namespace

std::vector<Operation> token_operations() {
  using Answers = Operation::Answers;
  return {{"listTokens",
           "GET",
           "/v1/tokens",
           "The tokens that are not revoked, without secrets.",
           Need::kAdminister,
           list_tokens,
           {},
           nullptr,
           schema_of<TokenView>(),
           Answers::kList},
          {"issueToken",
           "POST",
           "/v1/tokens",
           "Issues a token. Its secret is in this answer and nowhere else.",
           Need::kAdminister,
           issue_token,
           {},
           schema_of<TokenRequest>(),
           schema_of<TokenView>(),
           Answers::kObject,
           201,
           true},
          {"revokeToken",
           "DELETE",
           "/v1/tokens/{id}",
           "Ends a token; it opens nothing any more once this is answered.",
           Need::kAdminister,
           revoke_token,
           {},
           nullptr,
           schema_of<Changed>(),
           Answers::kObject,
           200,
           true}};
}

}  // namespace berth::server

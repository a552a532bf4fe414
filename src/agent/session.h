// The agent's side of the stream. A SessionHub holds one channel to a server and any number of
// sessions on it, one for each node (a real agent has one, a simulation thousands); it connects
// them again after they break, later each time, and sends their heartbeats.
//
// It keeps no lease and no report: what is not acknowledged is the node's to send again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/messages.h"
#include "base/error.h"

namespace berth::agent {

class Session {
 public:
  virtual ~Session() = default;
  // The node follows the server that has welcomed it: these reports go first, and from now on what
  // is sent goes out. Both under the lock under which the node numbers its reports, so that they
  // arrive in the order of their numbers.
  virtual void begin(const std::vector<Report>& unacknowledged) = 0;
  // Dropped where no session has begun: the node has it, and gives it to the next one.
  virtual void send(const std::vector<Report>& reports) = 0;
  // Breaks the connection; it connects again. For tests of what follows.
  virtual void drop() = 0;
  // Ends it; no call to the node is under way, or comes, once it has returned. Not from inside a
  // call to the node, nor under a lock that those take.
  virtual void close() = 0;
  // A session that was closed connects again.
  virtual void open() = 0;
};

// The node behind a session. Called by the hub's threads, one call at a time for each session,
// never while the hub holds a lock.
class NodeEnd {
 public:
  virtual ~NodeEnd() = default;
  // How the session begins; asked on each connect.
  virtual Join join() = 0;
  // The node's clock: of heartbeats' times.
  virtual TimeMs now() = 0;
  // The node begins the session, or gives an error, which ends it.
  virtual Status welcomed(const Welcome& welcome, Session& session) = 0;
  virtual void ordered(const Order& order) = 0;
  virtual void acknowledged(std::uint64_t number) = 0;
  // The server has answered to what was sent at `sent_at` by the node's clock.
  virtual void contact(TimeMs sent_at) = 0;
  virtual void broken(const Error& why) = 0;
};

// Texts in PEM form.
struct ClientTls {
  std::string server_ca;
  std::string certificate;  // of the agent; empty: the token is enough
  std::string key;
};

struct HubOptions {
  std::string server;  // "host:port"
  std::optional<ClientTls> tls;
  DurationMs backoff_first_ms = 200;
  DurationMs backoff_most_ms = 10 * kSecondMs;
};

class SessionHub {
 public:
  explicit SessionHub(HubOptions options);
  // All sessions must have been closed.
  ~SessionHub();
  SessionHub(const SessionHub&) = delete;
  SessionHub& operator=(const SessionHub&) = delete;

  // Connects at once and for as long as the session is open. `end` must live until it is closed,
  // and a session no longer than its hub. `name` tells sessions apart when many wait to connect.
  std::shared_ptr<Session> open(const std::string& name, NodeEnd& end);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::agent

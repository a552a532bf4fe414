// AgentServer: the service Agents on a port of its own; it turns streams into sessions of an
// AgentGateway. It knows nothing of what is said on them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "server/agents/gateway.h"

namespace berth::server {

// Texts in PEM form.
struct ServerTls {
  std::string certificate;
  std::string key;
  std::string client_ca;  // agents must have a certificate of it; empty: any agent with a token
};

struct AgentServerOptions {
  std::string address = "127.0.0.1:0";  // port 0: a free one
  std::optional<ServerTls> tls;
};

class AgentServer {
 public:
  // `gateway` must outlive it.
  static Result<std::unique_ptr<AgentServer>> listen(AgentServerOptions options,
                                                     AgentGateway& gateway);
  // Ends all sessions.
  ~AgentServer();
  AgentServer(const AgentServer&) = delete;
  AgentServer& operator=(const AgentServer&) = delete;

  int port() const;

 private:
  struct Parts;
  explicit AgentServer(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::server

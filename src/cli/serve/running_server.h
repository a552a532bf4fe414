// RunningServer: a whole control plane in this process: journal, controller and its loop, replica,
// agents' gateway, API; in dev mode simulated nodes and the jobs of a simulation as well. Built and
// taken down in one place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "cli/serve/replicated.h"
#include "model/gpu_model.h"
#include "model/token.h"
#include "server/agents/agent_server.h"
#include "server/api.h"
#include "server/http_server.h"
#include "server/oidc.h"
#include "sim/simulation.h"

namespace berth::cli {

struct DevMode {
  std::int64_t speed = 1;       // simulated seconds in one of the wall clock
  bool simulates_nodes = true;  // in this process
  bool plays_jobs = false;      // those of the simulation are submitted as they arrive
};

struct ServeOptions {
  server::HttpOptions http;
  std::optional<server::TlsFiles> tls;
  std::optional<TimeMs> certificate_expires_at;
  std::string agents_address = "127.0.0.1:7701";  // port 0: a free one
  std::optional<server::ServerTls> agents_tls;
  std::string agents_token;
  std::vector<std::string> other_agents_tokens;  // accepted as well
  std::string web;                               // folder of the built page; empty: there is none
  std::string journal;                           // path of the SQLite file; empty: in memory
  // Of a server that is alone: begins no lower one, for agents that know of terms which it doesn't.
  std::uint64_t least_term = 0;
  // One of several servers over etcd; none: alone, with the journal above.
  std::optional<ReplicatedOptions> replicated;
  std::uint64_t snapshot_every = 200'000;  // events
  DurationMs history_ms = 0;               // that a journal in SQLite keeps
  double requests_per_second = 0;          // of one token; 0: no limit
  // What a journal begins with that never had a token.
  std::vector<Token> first_tokens;
  // Issued at the start, whatever there is.
  std::vector<Token> new_tokens;
  std::optional<server::OidcSettings> oidc;  // users of an identity provider are accepted too
  std::optional<DevMode> dev;                // then whoever reaches it is admin
  std::string version;
};

class RunningServer {
 public:
  // What is declared when the journal is empty: the models, and, in dev mode, the fleet and its
  // queues. Its nodes are simulated.
  static Result<std::unique_ptr<RunningServer>> start(ServeOptions options, sim::SimInput first);
  ~RunningServer();
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  std::uint16_t http_port() const;
  int agents_port() const;  // 0: it does not lead
  // Called once when it cannot go on, on one of its threads; may be set after the start.
  void on_failure(std::function<void(const Error&)> call);

 private:
  struct Parts;
  explicit RunningServer(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::cli

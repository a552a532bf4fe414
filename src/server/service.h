// Service: what the operations of the API work on. Built once by the program.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control/controller.h"
#include "model/gpu_model.h"
#include "server/replica.h"

namespace berth::server {

class EventHub;
class Questions;

// Where commands are decided and committed.
class Writer {
 public:
  using Answer = std::function<void(const Result<control::Reply>&)>;
  virtual ~Writer() = default;
  // The answer is given once, on any thread.
  virtual void post(Command command, Answer answer) = 0;
};

struct Service {
  Replica& replica;
  Writer& writer;
  EventHub& events;
  Questions& questions;
  const std::vector<GpuModel>& catalog;
  std::string version;
  // Lines of the Prometheus text format.
  std::function<std::string()> metrics;
  // Why the server does not serve yet, or not any more; empty: it is ready.
  std::function<std::string()> not_ready;
  // How old at most a read of this server is; 0: it leads. None: it has not caught up yet.
  std::function<std::optional<DurationMs>()> staleness_ms = [] {
    return std::optional<DurationMs>(0);
  };
};

}  // namespace berth::server

// The only file of the server that includes gRPC.
#include "server/agents/agent_server.h"

#include <berth/agent/v1/agent.grpc.pb.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <mutex>
#include <utility>

#include "wire/proto.h"

namespace berth::server {
namespace {

namespace v1 = ::berth::agent::v1;

// Running sessions are ended after so long when the server stops.
constexpr auto kStopWithin = std::chrono::milliseconds(200);

grpc::Status status_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kNotFound:
    case ErrorCode::kLimitExceeded:
      return {grpc::StatusCode::INVALID_ARGUMENT, error.to_text()};
    case ErrorCode::kConflict:
      return {grpc::StatusCode::FAILED_PRECONDITION, error.to_text()};
    case ErrorCode::kUnavailable:
    case ErrorCode::kCorrupt:
      break;
  }
  return {grpc::StatusCode::UNAVAILABLE, error.to_text()};
}

class Stream;

// What the gateway holds of a stream; it may outlive it.
class Link final : public SessionLink {
 public:
  explicit Link(Stream& stream) : stream_(&stream) {}
  void wake() override;
  void end(const Error& why) override;
  // The stream is over.
  void cut() {
    const std::lock_guard lock(mutex_);
    stream_ = nullptr;
  }

 private:
  std::mutex mutex_;  // held while the stream is used, so that it is not deleted meanwhile
  Stream* stream_;
};

// Where agents have certificates, one of its names is that of the node: nobody speaks for another.
Status check_certificate(const grpc::AuthContext& context, const std::string& node) {
  if (!context.IsPeerAuthenticated()) return {};
  std::string names;
  for (const char* kind : {GRPC_X509_SAN_PROPERTY_NAME, GRPC_X509_CN_PROPERTY_NAME}) {
    for (const grpc::string_ref& name : context.FindPropertyValues(kind)) {
      if (name == node) return {};
      names += (names.empty() ? "'" : ", '") + std::string(name.data(), name.size()) + "'";
    }
  }
  return invalid(
      "is '" + node + "'; the agent's certificate is for " + (names.empty() ? "nobody" : names),
      "node.name");
}

// One write and one read at a time. It deletes itself when the stream is over.
class Stream final : public grpc::ServerBidiReactor<v1::FromAgent, v1::FromServer> {
 public:
  Stream(AgentGateway& gateway, grpc::CallbackServerContext& context)
      : gateway_(gateway), context_(context), link_(std::make_shared<Link>(*this)) {
    StartRead(&in_);
  }

  void write_next() {
    const std::lock_guard lock(mutex_);
    if (is_writing_ || is_finished_ || why_) return;
    auto message = gateway_.next(link_);
    if (!message) return;
    out_ = wire::to_proto(*message);
    is_writing_ = true;
    StartWrite(&out_);
  }

  // A write that is under way is cut short: whoever reads slowly must not keep the stream open.
  void finish(grpc::Status why) {
    const std::lock_guard lock(mutex_);
    if (is_finished_ || why_) return;
    if (is_writing_) {
      why_ = std::move(why);
      context_.TryCancel();
      return;
    }
    is_finished_ = true;
    Finish(std::move(why));
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      gateway_.broken(link_);
      return finish(grpc::Status::OK);
    }
    auto message = wire::from_proto(in_);
    if (!message) {
      gateway_.broken(link_);
      return finish(status_of(message.error()));
    }
    if (auto s = take(*message); !s) {
      gateway_.broken(link_);
      return finish(status_of(s.error()));
    }
    const std::lock_guard lock(mutex_);
    if (!is_finished_) StartRead(&in_);
  }

  void OnWriteDone(bool ok) override {
    {
      const std::lock_guard lock(mutex_);
      is_writing_ = false;
      if (why_ && !is_finished_) {
        is_finished_ = true;
        return Finish(*why_);
      }
    }
    if (ok) return write_next();
    gateway_.broken(link_);
    finish({grpc::StatusCode::UNAVAILABLE, "the stream is broken"});
  }

  void OnCancel() override {
    gateway_.broken(link_);
    finish(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    gateway_.broken(link_);
    link_->cut();
    delete this;
  }

 private:
  Status take(const agent::FromAgent& message) {
    const auto* join = std::get_if<agent::Join>(&message);
    if ((join != nullptr) == has_joined_) {
      return invalid(has_joined_ ? "a session begins with one join"
                                 : "the first message of a session is a join",
                     "body");
    }
    if (join != nullptr) {
      if (auto s = check_certificate(*context_.auth_context(), join->node.name); !s) return s;
      has_joined_ = true;
      gateway_.joined(link_, *join);
    } else if (const auto* report = std::get_if<agent::Report>(&message)) {
      gateway_.heard(link_, *report);
    } else {
      gateway_.heard(link_, std::get<agent::Heartbeat>(message));
    }
    return {};
  }

  AgentGateway& gateway_;
  grpc::CallbackServerContext& context_;
  std::shared_ptr<Link> link_;
  v1::FromAgent in_;
  v1::FromServer out_;
  bool has_joined_ = false;  // of the reading side
  std::mutex mutex_;
  bool is_writing_ = false;
  bool is_finished_ = false;
  std::optional<grpc::Status> why_;  // finishes once the write has ended
};

void Link::wake() {
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr) stream_->write_next();
}

void Link::end(const Error& why) {
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr) stream_->finish(status_of(why));
}

class Service final : public v1::Agents::CallbackService {
 public:
  explicit Service(AgentGateway& gateway) : gateway_(gateway) {}
  grpc::ServerBidiReactor<v1::FromAgent, v1::FromServer>* Session(
      grpc::CallbackServerContext* context) override {
    return new Stream(gateway_, *context);
  }

 private:
  AgentGateway& gateway_;
};

std::shared_ptr<grpc::ServerCredentials> credentials(const std::optional<ServerTls>& tls) {
  if (!tls) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      tls->client_ca.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                             : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls->client_ca;
  options.pem_key_cert_pairs.push_back({tls->key, tls->certificate});
  return grpc::SslServerCredentials(options);
}

}  // namespace

struct AgentServer::Parts {
  explicit Parts(AgentGateway& gateway) : service(gateway) {}
  Service service;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

AgentServer::AgentServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

AgentServer::~AgentServer() {
  parts_->server->Shutdown(std::chrono::system_clock::now() + kStopWithin);
  parts_->server->Wait();
}

Result<std::unique_ptr<AgentServer>> AgentServer::listen(AgentServerOptions options,
                                                         AgentGateway& gateway) {
  auto parts = std::make_unique<Parts>(gateway);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(wire::kMessageBytesLimit);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a port that is taken is an error
  builder.AddListeningPort(options.address, credentials(options.tls), &parts->port);
  builder.RegisterService(&parts->service);
  parts->server = builder.BuildAndStart();
  if (parts->server == nullptr || parts->port == 0) {
    return fail(ErrorCode::kUnavailable,
                "cannot listen on '" + options.address +
                    "'; an address of this machine with a free port, or port 0, is accepted" +
                    (options.tls ? ", with a certificate and its key in PEM form" : ""),
                "address");
  }
  return std::unique_ptr<AgentServer>(new AgentServer(std::move(parts)));
}

int AgentServer::port() const { return parts_->port; }

}  // namespace berth::server

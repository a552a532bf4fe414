#include "journal/etcd_client.h"

#include <grpc/support/time.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "base/check.h"
#include "journal/etcd_wire.h"

namespace berth::journal {
namespace {

using Time = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Compaction and defragmentation rewrite the whole store, 8 GiB at most by etcd's own advice.
constexpr milliseconds kUpkeep{120'000};
constexpr milliseconds kPause{50};    // after all members have failed
constexpr milliseconds kConnect{50};  // of waiting for a member that was away
// gRPC waits 1 s and more after a refused connection, which is most of an election.
constexpr int kFirstReconnectMs = 100;
constexpr int kLastReconnectMs = 500;
// etcd closes connections that ask more often than each 5 s (--grpc-keepalive-min-time).
constexpr int kKeepaliveMs = 10'000;
constexpr int kKeepaliveTimeoutMs = 3'000;

// By the clock that nobody sets.
gpr_timespec after(milliseconds time) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_millis(time.count(), GPR_TIMESPAN));
}

// A member without a leader says so at once, instead of keeping the call.
void ask_for_leader(grpc::ClientContext& context) { context.AddMetadata("hasleader", "true"); }

struct Member {
  std::string endpoint;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<pb::KV::Stub> kv;
  std::unique_ptr<pb::Lease::Stub> lease;
  std::unique_ptr<pb::Maintenance::Stub> maintenance;
};

Member connect(const std::string& endpoint, const EtcdSettings& settings) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, static_cast<int>(settings.attempt_ms));
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLastReconnectMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Or a lease's keepalives would wait behind another client's snapshots.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  auto credentials = grpc::InsecureChannelCredentials();
  if (settings.tls) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = settings.tls->ca;
    options.pem_cert_chain = settings.tls->certificate;
    options.pem_private_key = settings.tls->key;
    credentials = grpc::SslCredentials(options);
  }
  auto channel = grpc::CreateCustomChannel(endpoint, credentials, arguments);
  return {endpoint, channel, pb::KV::NewStub(channel), pb::Lease::NewStub(channel),
          pb::Maintenance::NewStub(channel)};
}

}  // namespace

// What is asked of members, whoever answers.
class EtcdClient::Connection {
 public:
  // What was only read was not changed, however often nobody answered.
  enum class Kind : std::uint8_t { kReads, kWrites };

  explicit Connection(const EtcdSettings& settings)
      : attempt_(settings.attempt_ms), patience_(settings.patience_ms) {
    for (const std::string& endpoint : settings.endpoints) {
      members_.push_back(connect(endpoint, settings));
    }
  }

  const std::vector<Member>& members() const { return members_; }
  const Member& preferred() const { return members_[preferred_.load()]; }
  milliseconds attempt() const { return attempt_; }

  // This one did not answer; the next is asked first from now on.
  void pass_over(const Member& member) {
    auto index = static_cast<std::size_t>(&member - members_.data());
    const std::size_t next = (index + 1) % members_.size();
    preferred_.compare_exchange_strong(index, next);
  }

  Error error_of(const Member& member, const grpc::Status& status) const {
    return {code_of(status), "etcd at " + member.endpoint + ": " + words_of(status), {}, 0};
  }

  // `call` makes one call with a context and gives its answer's status. A call to a member that
  // was away fails at once, and a connection is made only while somebody waits in gRPC: without
  // that wait it would never be there.
  template <typename Answer, typename Call>
  Result<Answer> ask(const Member& member, milliseconds limit, const Call& call) const {
    member.channel->WaitForConnected(after(std::min(limit, kConnect)));
    grpc::ClientContext context;
    context.set_deadline(after(limit));
    ask_for_leader(context);
    Answer answer;
    const grpc::Status status = call(member, &context, &answer);
    if (!status.ok()) return tl::unexpected(error_of(member, status));
    return answer;
  }

  // One member after the other; an attempt that was begun in time may take its time.
  template <typename Answer, typename Call>
  Result<Answer> ask_any(Kind kind, milliseconds limit, const Call& call) {
    const auto give_up = Time::now() + patience_;
    for (std::size_t failed = 0;;) {
      const Member& member = preferred();
      auto answer = ask<Answer>(member, limit, call);
      if (answer) return answer;
      Error& error = answer.error();
      if (error.code != ErrorCode::kUnavailable) {
        if (kind == Kind::kWrites && failed > 0) error.code = ErrorCode::kUnavailable;
        return answer;
      }
      pass_over(member);
      ++failed;
      if (Time::now() + kPause >= give_up) return tl::unexpected(nobody_answers(error));
      if (failed % members_.size() == 0) std::this_thread::sleep_for(kPause);
    }
  }

  // One method of one of a member's stubs.
  template <typename Stub, typename Request, typename Answer>
  using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Answer*);
  template <typename Stub, typename Request, typename Answer>
  static auto call_of(std::unique_ptr<Stub> Member::*stub, Method<Stub, Request, Answer> method,
                      const Request& request) {
    return
        [stub, method, &request](const Member& member, grpc::ClientContext* context, Answer* to) {
          return ((*(member.*stub)).*method)(context, request, to);
        };
  }
  template <typename Stub, typename Request, typename Answer>
  Result<Answer> read(std::unique_ptr<Stub> Member::*stub, Method<Stub, Request, Answer> method,
                      const Request& request) {
    return ask_any<Answer>(Kind::kReads, attempt_, call_of(stub, method, request));
  }
  template <typename Stub, typename Request, typename Answer>
  Result<Answer> write(std::unique_ptr<Stub> Member::*stub, Method<Stub, Request, Answer> method,
                       const Request& request) {
    return ask_any<Answer>(Kind::kWrites, attempt_, call_of(stub, method, request));
  }

 private:
  Error nobody_answers(const Error& last) const {
    if (members_.size() == 1) return last;
    std::string text = "etcd: none of its members answers (";
    for (const Member& member : members_) text += member.endpoint + " ";
    text.back() = ')';
    return {ErrorCode::kUnavailable, text + "; the last: " + last.message, {}, 0};
  }

  milliseconds attempt_;
  milliseconds patience_;
  std::vector<Member> members_;
  std::atomic<std::size_t> preferred_ = 0;
};

namespace {

// Exactly one operation of the stream is under way until the watch is over.
template <typename Connection>
class GrpcWatch final : public EtcdWatch {
 public:
  GrpcWatch(std::shared_ptr<Connection> connection, const pb::WatchRequest& request)
      : connection_(std::move(connection)),
        member_(connection_->preferred()),
        stub_(pb::Watch::NewStub(member_.channel)),
        request_(request) {
    ask_for_leader(context_);
    stream_ = stub_->PrepareAsyncWatch(&context_, &queue_);
    stream_->StartCall(tag(Step::kStarted));
  }

  ~GrpcWatch() override {
    if (!is_over_) {
      context_.TryCancel();
      wait_for_step();
      finish();
    }
    queue_.Shutdown();
    wait_for_step();
  }

  void cancel() override { context_.TryCancel(); }

  Result<std::vector<EtcdChange>> next(DurationMs wait_ms) override {
    const gpr_timespec deadline = after(milliseconds(wait_ms));
    while (!is_over_) {
      void* step = nullptr;
      bool went_well = false;
      const auto got = queue_.AsyncNext(&step, &went_well, deadline);
      if (got == grpc::CompletionQueue::TIMEOUT) return std::vector<EtcdChange>();
      BERTH_CHECK(got == grpc::CompletionQueue::GOT_EVENT);
      if (!went_well) return tl::unexpected(broken());
      if (step == tag(Step::kStarted)) {
        stream_->Write(request_, tag(Step::kAsked));
        continue;
      }
      if (step == tag(Step::kRead) && answer_.canceled()) return tl::unexpected(ended_by_etcd());
      std::vector<EtcdChange> changes = changes_read();
      stream_->Read(&answer_, tag(Step::kRead));
      if (!changes.empty()) return changes;
    }
    return fail(ErrorCode::kUnavailable, "etcd: this watch is over");
  }

 private:
  enum class Step : std::uintptr_t { kStarted = 1, kAsked, kRead, kFinished };
  static void* tag(Step step) { return reinterpret_cast<void*>(step); }

  void wait_for_step() {
    void* step = nullptr;
    bool went_well = false;
    queue_.Next(&step, &went_well);
  }

  grpc::Status finish() {
    grpc::Status status;
    stream_->Finish(&status, tag(Step::kFinished));
    wait_for_step();
    is_over_ = true;
    return status;
  }

  Error broken() {
    const grpc::Status status = finish();
    connection_->pass_over(member_);
    if (!status.ok()) return connection_->error_of(member_, status);
    return {ErrorCode::kUnavailable, "etcd at " + member_.endpoint + ": it ended a watch", {}, 0};
  }

  Error ended_by_etcd() {
    const bool is_compacted = answer_.compact_revision() > 0;
    context_.TryCancel();
    finish();
    return {is_compacted ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
            "etcd at " + member_.endpoint + ": it ended a watch: " +
                (is_compacted ? "what it should begin with is compacted" : answer_.cancel_reason()),
            {},
            0};
  }

  std::vector<EtcdChange> changes_read() {
    std::vector<EtcdChange> changes;
    for (pb::Event& event : *answer_.mutable_events()) {
      changes.push_back(
          {event.type() == pb::Event::PUT ? EtcdChange::Kind::kPut : EtcdChange::Kind::kErased,
           entry_of(*event.mutable_kv())});
    }
    answer_.Clear();
    return changes;
  }

  std::shared_ptr<Connection> connection_;
  const Member& member_;
  std::unique_ptr<pb::Watch::Stub> stub_;
  pb::WatchRequest request_;
  pb::WatchResponse answer_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<pb::WatchRequest, pb::WatchResponse>> stream_;
  bool is_over_ = false;
};

template <typename Answer>
Status done(const Result<Answer>& answer) {
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

}  // namespace

EtcdClient::EtcdClient(std::shared_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
EtcdClient::~EtcdClient() = default;

Result<std::unique_ptr<EtcdClient>> EtcdClient::open(const EtcdSettings& settings) {
  if (settings.endpoints.empty()) {
    return invalid("no member of etcd is named; at least one host:port is needed", "endpoints");
  }
  for (const std::string& endpoint : settings.endpoints) {
    if (endpoint.find(':') != std::string::npos && endpoint.find('/') == std::string::npos) {
      continue;
    }
    return invalid("is \"" + endpoint + "\"; host:port is accepted, without a scheme", "endpoints");
  }
  if (settings.tls && settings.tls->certificate.empty() != settings.tls->key.empty()) {
    return invalid("a certificate and its key are needed together", "tls");
  }
  return std::unique_ptr<EtcdClient>(new EtcdClient(std::make_shared<Connection>(settings)));
}

Result<EtcdPage> EtcdClient::range(const EtcdRange& range) const {
  pb::RangeRequest request;
  fill(request, range);
  auto answer = connection_->read(&Member::kv, &pb::KV::Stub::Range, request);
  if (!answer) return tl::unexpected(answer.error());
  EtcdPage page;
  page.revision = answer->header().revision();
  for (pb::KeyValue& entry : *answer->mutable_kvs()) page.entries.push_back(entry_of(entry));
  return page;
}

Result<std::optional<EtcdEntry>> EtcdClient::get(const std::string& key) const {
  auto page = range({key, {}});
  if (!page) return tl::unexpected(page.error());
  if (page->entries.empty()) return std::nullopt;
  return std::move(page->entries.front());
}

Status EtcdClient::put(const EtcdPut& put) const {
  pb::PutRequest request;
  fill(request, put);
  return done(connection_->write(&Member::kv, &pb::KV::Stub::Put, request));
}

Status EtcdClient::erase(const std::string& begin, const std::string& end) const {
  pb::DeleteRangeRequest request;
  request.set_key(begin);
  request.set_range_end(end);
  return done(connection_->write(&Member::kv, &pb::KV::Stub::DeleteRange, request));
}

Result<EtcdOutcome> EtcdClient::transact(const EtcdTransaction& transaction) const {
  pb::TxnRequest request;
  for (const EtcdCondition& condition : transaction.when) fill(*request.add_compare(), condition);
  for (const EtcdPut& put : transaction.puts) {
    fill(*request.add_success()->mutable_request_put(), put);
  }
  for (const std::string& key : transaction.otherwise_read) {
    request.add_failure()->mutable_request_range()->set_key(key);
  }
  auto answer = connection_->write(&Member::kv, &pb::KV::Stub::Txn, request);
  if (!answer) return tl::unexpected(answer.error());
  EtcdOutcome outcome{EtcdOutcome::Kind::kDone, answer->header().revision(), {}};
  if (answer->succeeded()) return outcome;
  outcome.kind = EtcdOutcome::Kind::kConditionFailed;
  for (pb::ResponseOp& one : *answer->mutable_responses()) {
    auto& entries = *one.mutable_response_range()->mutable_kvs();
    outcome.read.emplace_back();
    if (!entries.empty()) outcome.read.back() = entry_of(entries[0]);
  }
  return outcome;
}

std::unique_ptr<EtcdWatch> EtcdClient::watch(const std::string& begin, const std::string& end,
                                             EtcdRevision from) const {
  pb::WatchRequest request;
  request.mutable_create_request()->set_key(begin);
  request.mutable_create_request()->set_range_end(end);
  request.mutable_create_request()->set_start_revision(from);
  return std::make_unique<GrpcWatch<Connection>>(connection_, request);
}

Result<EtcdLeaseGrant> EtcdClient::grant(DurationMs ttl_ms) const {
  pb::LeaseGrantRequest request;
  request.set_ttl((ttl_ms + kSecondMs - 1) / kSecondMs);
  const auto answer = connection_->write(&Member::lease, &pb::Lease::Stub::LeaseGrant, request);
  if (!answer) return tl::unexpected(answer.error());
  return EtcdLeaseGrant{answer->id(), answer->ttl() * kSecondMs};
}

Result<DurationMs> EtcdClient::keep_alive(EtcdLease lease) const {
  pb::LeaseKeepAliveRequest request;
  request.set_id(lease);
  const auto answer = connection_->ask_any<pb::LeaseKeepAliveResponse>(
      Connection::Kind::kReads, connection_->attempt(),
      [&](const Member& member, grpc::ClientContext* context, pb::LeaseKeepAliveResponse* to) {
        const auto stream = member.lease->LeaseKeepAlive(context);
        if (stream->Write(request) && stream->WritesDone()) stream->Read(to);
        return stream->Finish();
      });
  if (!answer) return tl::unexpected(answer.error());
  if (answer->ttl() > 0) return answer->ttl() * kSecondMs;
  return fail(ErrorCode::kNotFound, "etcd: the lease " + std::to_string(lease) + " has run out");
}

Status EtcdClient::revoke(EtcdLease lease) const {
  pb::LeaseRevokeRequest request;
  request.set_id(lease);
  return done(connection_->read(&Member::lease, &pb::Lease::Stub::LeaseRevoke, request));
}

Status EtcdClient::compact(EtcdRevision before) const {
  pb::CompactionRequest request;
  request.set_revision(before);
  request.set_physical(true);
  const auto answer = connection_->ask_any<pb::CompactionResponse>(
      Connection::Kind::kReads, kUpkeep,
      Connection::call_of(&Member::kv, &pb::KV::Stub::Compact, request));
  if (!answer && answer.error().code == ErrorCode::kNotFound) return {};  // somebody else has
  return done(answer);
}

std::size_t EtcdClient::members() const { return connection_->members().size(); }

Result<EtcdMemberStatus> EtcdClient::status_of(std::size_t member) const {
  const pb::StatusRequest request;
  const auto answer = connection_->ask<pb::StatusResponse>(
      connection_->members()[member], connection_->attempt(),
      Connection::call_of(&Member::maintenance, &pb::Maintenance::Stub::Status, request));
  if (!answer) return tl::unexpected(answer.error());
  return EtcdMemberStatus{answer->version(), answer->header().member_id(), answer->leader(),
                          answer->dbsize(), answer->dbsizeinuse()};
}

Status EtcdClient::defragment(std::size_t member) const {
  const pb::DefragmentRequest request;
  return done(connection_->ask<pb::DefragmentResponse>(
      connection_->members()[member], kUpkeep,
      Connection::call_of(&Member::maintenance, &pb::Maintenance::Stub::Defragment, request)));
}

Result<std::vector<std::uint64_t>> EtcdClient::full_members() const {
  pb::AlarmRequest request;
  request.set_action(pb::AlarmRequest::GET);
  request.set_alarm(pb::NOSPACE);
  const auto answer =
      connection_->read(&Member::maintenance, &pb::Maintenance::Stub::Alarm, request);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<std::uint64_t> members;
  for (const pb::AlarmMember& one : answer->alarms()) members.push_back(one.memberid());
  return members;
}

Status EtcdClient::withdraw_full(std::uint64_t member) const {
  pb::AlarmRequest request;
  request.set_action(pb::AlarmRequest::DEACTIVATE);
  request.set_memberid(member);
  request.set_alarm(pb::NOSPACE);
  return done(connection_->write(&Member::maintenance, &pb::Maintenance::Stub::Alarm, request));
}

}  // namespace berth::journal

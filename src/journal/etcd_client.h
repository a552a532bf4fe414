// EtcdClient: the little of etcd that journal and leadership need, in plain types and with its
// errors as ours. Its source, with etcd_wire.h, is the only one that knows gRPC. It must never know
// what the keys mean.
//
// A call goes to one member after the other until one answers, for `patience_ms` at most, so that
// it may be carried out more than once: whoever writes makes sure that this changes nothing. Codes:
// kUnavailable: nobody answered, and whether it was carried out is not known; kLimitExceeded: etcd
// has no room (alarm NOSPACE); kNotFound: what was asked for is compacted, or a lease has run out;
// kInvalid: refused for good. After all but kUnavailable nothing was changed.
//
// Several threads may use one client at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace berth::journal {

// Contents of files in PEM, not their names. Without certificate and key etcd must ask for none.
struct EtcdTls {
  std::string ca;
  std::string certificate;
  std::string key;
};

struct EtcdSettings {
  std::vector<std::string> endpoints;  // "host:port" of each member
  std::optional<EtcdTls> tls;          // none: plain text
  DurationMs attempt_ms = 1'000;       // until a member that does not answer is given up
  // Of a call over all members. etcd elects a new leader in 1 to 2 s (its election timeout is 1 s).
  DurationMs patience_ms = 8'000;
};

// Of etcd's store; each write makes it larger. Not the journal's revision.
using EtcdRevision = std::int64_t;
using EtcdLease = std::int64_t;  // 0: none

struct EtcdEntry {
  std::string key;
  std::string value;
  EtcdRevision created = 0;
  EtcdRevision modified = 0;
  EtcdLease lease = 0;
};

struct EtcdRange {
  enum class What : std::uint8_t { kKeysAndValues, kKeys };
  std::string begin;
  std::string end;            // not included; empty: `begin` alone
  std::int64_t limit = 0;     // entries; 0: all
  EtcdRevision revision = 0;  // as it was then; 0: as it is
  What what = What::kKeysAndValues;
};

struct EtcdPage {
  std::vector<EtcdEntry> entries;  // by key
  EtcdRevision revision = 0;       // of the store when it answered
};

// A key that is not there has the revisions 0.
struct EtcdCondition {
  enum class Of : std::uint8_t { kCreated, kModified };
  Of of = Of::kCreated;
  std::string key;
  EtcdRevision is = 0;
};

struct EtcdPut {
  std::string key;
  std::string value;
  EtcdLease lease = 0;
};

// All of `puts` if all of `when` holds; else `otherwise_read`.
struct EtcdTransaction {
  std::vector<EtcdCondition> when;
  std::vector<EtcdPut> puts;
  std::vector<std::string> otherwise_read;
};

struct EtcdOutcome {
  enum class Kind : std::uint8_t { kDone, kConditionFailed };
  Kind kind = Kind::kDone;
  EtcdRevision revision = 0;                   // of the puts, or of the reading
  std::vector<std::optional<EtcdEntry>> read;  // none: no such key
};

struct EtcdLeaseGrant {
  EtcdLease lease = 0;
  DurationMs ttl_ms = 0;
};

struct EtcdMemberStatus {
  std::string version;
  std::uint64_t id = 0;
  std::uint64_t leader = 0;       // the member that leads etcd, as this one knows; 0: none
  std::int64_t bytes = 0;         // of the member's file
  std::int64_t bytes_in_use = 0;  // the rest is what defragmentation frees
};

struct EtcdChange {
  enum class Kind : std::uint8_t { kPut, kErased };
  Kind kind = Kind::kPut;
  EtcdEntry entry;
};

// What happens to a range of keys. One thread waits; any may cancel.
class EtcdWatch {
 public:
  virtual ~EtcdWatch() = default;
  // Waits until something happens, for `wait_ms` at most; then none. After an error this watch is
  // over: kNotFound: etcd has compacted what it should begin with; kUnavailable: broken, or
  // cancelled.
  virtual Result<std::vector<EtcdChange>> next(DurationMs wait_ms) = 0;
  virtual void cancel() = 0;
};

class EtcdClient {
 public:
  // Connects when it is used.
  static Result<std::unique_ptr<EtcdClient>> open(const EtcdSettings& settings);
  ~EtcdClient();
  EtcdClient(const EtcdClient&) = delete;
  EtcdClient& operator=(const EtcdClient&) = delete;

  // Linearizable: what was durable before the call is seen.
  Result<EtcdPage> range(const EtcdRange& range) const;
  Result<std::optional<EtcdEntry>> get(const std::string& key) const;
  Status put(const EtcdPut& put) const;
  Status erase(const std::string& begin, const std::string& end) const;
  Result<EtcdOutcome> transact(const EtcdTransaction& transaction) const;
  // From the revision on, which may be that of something that is to come.
  std::unique_ptr<EtcdWatch> watch(const std::string& begin, const std::string& end,
                                   EtcdRevision from) const;

  // etcd may grant more than was asked for.
  Result<EtcdLeaseGrant> grant(DurationMs ttl_ms) const;
  // What is left of it from now on.
  Result<DurationMs> keep_alive(EtcdLease lease) const;
  Status revoke(EtcdLease lease) const;

  // Forgets what keys were before the revision.
  Status compact(EtcdRevision before) const;
  std::size_t members() const;
  Result<EtcdMemberStatus> status_of(std::size_t member) const;
  // The member answers nothing else meanwhile.
  Status defragment(std::size_t member) const;
  // The numbers of the members that have said that they are full; until that is withdrawn etcd
  // takes nothing.
  Result<std::vector<std::uint64_t>> full_members() const;
  Status withdraw_full(std::uint64_t member) const;

 private:
  class Connection;
  explicit EtcdClient(std::shared_ptr<Connection> connection);

  std::shared_ptr<Connection> connection_;  // with the watches
};

}  // namespace berth::journal

// What etcd's messages and gRPC's errors are in Berth's types. Included by etcd_client.cc alone.
#pragma once

#include <etcd/rpc.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <string>
#include <string_view>
#include <utility>

#include "journal/etcd_client.h"

namespace berth::journal {

namespace pb = etcdserverpb;

inline bool says(const grpc::Status& status, std::string_view words) {
  return status.error_message().find(words) != std::string::npos;
}

inline ErrorCode code_of(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      if (says(status, "database space exceeded")) return ErrorCode::kLimitExceeded;
      return says(status, "too many requests") ? ErrorCode::kUnavailable : ErrorCode::kInvalid;
    case grpc::StatusCode::OUT_OF_RANGE:
      return says(status, "future revision") ? ErrorCode::kUnavailable : ErrorCode::kNotFound;
    case grpc::StatusCode::FAILED_PRECONDITION:
      return says(status, "leader") ? ErrorCode::kUnavailable : ErrorCode::kInvalid;
    case grpc::StatusCode::NOT_FOUND:
      return ErrorCode::kNotFound;
    case grpc::StatusCode::DATA_LOSS:
      return ErrorCode::kCorrupt;
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::UNIMPLEMENTED:
      return ErrorCode::kInvalid;
    default:
      return ErrorCode::kUnavailable;
  }
}

inline std::string words_of(const grpc::Status& status) {
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) return "no answer in time";
  if (code_of(status) == ErrorCode::kLimitExceeded) {
    return "its store is full (alarm NOSPACE), it takes nothing more; compact the journal, or "
           "start etcd with a larger --quota-backend-bytes and withdraw the alarm";
  }
  if (says(status, "request is too large")) {
    return "a request is larger than it takes; start etcd with --max-request-bytes of its default "
           "(1572864) or more";
  }
  return status.error_message();
}

inline EtcdEntry entry_of(pb::KeyValue& from) {
  return {std::move(*from.mutable_key()), std::move(*from.mutable_value()), from.create_revision(),
          from.mod_revision(), from.lease()};
}

inline void fill(pb::RangeRequest& request, const EtcdRange& range) {
  request.set_key(range.begin);
  request.set_range_end(range.end);
  request.set_limit(range.limit);
  request.set_revision(range.revision);
  request.set_keys_only(range.what == EtcdRange::What::kKeys);
}

inline void fill(pb::PutRequest& request, const EtcdPut& put) {
  request.set_key(put.key);
  request.set_value(put.value);
  request.set_lease(put.lease);
}

inline void fill(pb::Compare& request, const EtcdCondition& condition) {
  request.set_result(pb::Compare::EQUAL);
  request.set_key(condition.key);
  if (condition.of == EtcdCondition::Of::kCreated) {
    request.set_target(pb::Compare::CREATE);
    request.set_create_revision(condition.is);
  } else {
    request.set_target(pb::Compare::MOD);
    request.set_mod_revision(condition.is);
  }
}

}  // namespace berth::journal

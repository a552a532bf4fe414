// Pages of a list: at most `limit` items after the cursor of the page before.
#pragma once

#include <string>
#include <vector>

#include "codec/schema.h"
#include "server/call.h"

namespace berth::server {

inline constexpr std::int64_t kPageLimit = 500;  // without a word
inline constexpr std::int64_t kMostPageLimit = 10'000;

// The limit that the call asks for, or an error.
Result<std::size_t> page_limit(const Call& call);

// That there is the queue which the call's `queue` names, for its caller.
Status check_queue(const Call& call, const engine::ClusterState& state);

struct Page {
  codec::Document items = codec::Document::list();
  std::string next;  // cursor of the next page; empty: this is the last
  std::uint64_t revision = 0;
};

// {"name": "x", "revision": 17}: see Changed.
codec::Document changed_document(const std::string& name, const control::Reply& reply);

// {"items": [...], "next": "...", "revision": 17}
codec::Document page_document(Page page);

}  // namespace berth::server

#include "journal/etcd_upkeep.h"

#include <cstdint>

namespace berth::journal {
namespace {

// A member answers nothing while its file is rewritten, about 10 s for each GiB on a slow disk:
// done where half of the file is waste, and at least so much.
constexpr std::int64_t kWasteBytes = std::int64_t{64} << 20;

enum class Urgency : std::uint8_t { kWhereWorthIt, kFull };

Status defragment(const EtcdClient& client, std::size_t member, Urgency urgency) {
  const auto status = client.status_of(member);
  // One that is away has nothing to give now, and is asked again the next time.
  if (!status && status.error().code == ErrorCode::kUnavailable) return {};
  if (!status) return tl::unexpected(status.error());
  const std::int64_t waste = status->bytes - status->bytes_in_use;
  const bool is_worth_it = waste >= kWasteBytes && 2 * waste >= status->bytes;
  if (urgency != Urgency::kFull && !is_worth_it) return {};
  return client.defragment(member);
}

}  // namespace

Status give_room_back(const EtcdClient& client) {
  // Any key gives the store's revision.
  const auto now = client.range({"/", {}, 1, 0, EtcdRange::What::kKeys});
  if (!now) return tl::unexpected(now.error());
  const auto full = client.full_members();
  if (!full) return tl::unexpected(full.error());
  Status done = client.compact(now->revision);
  const Urgency urgency = full->empty() ? Urgency::kWhereWorthIt : Urgency::kFull;
  for (std::size_t member = 0; member < client.members(); ++member) {
    Status one = defragment(client, member, urgency);
    if (!one && done) done = one;
  }
  for (const std::uint64_t member : *full) {
    Status one = client.withdraw_full(member);
    if (!one && done) done = one;
  }
  return done;
}

}  // namespace berth::journal

#include "model/event.h"

#include <array>

#include "model/serial.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<EventBody>> kNames = {
    "model-declared",
    "topology-declared",
    "partition-declared",
    "queue-declared",
    "policy-set",
    "fit-observed",
    "node-joined",
    "node-condition-changed",
    "card-health-changed",
    "job-submitted",
    "job-held",
    "job-user-hold",
    "job-resized",
    "job-backed-off",
    "lease-granted",
    "lease-promised",
    "lease-prepared",
    "job-started",
    "lease-revoking",
    "lease-released",
    "job-requeued",
    "job-ended",
    "time-passed",
    "request-seen",
    "prices-observed",
    "lease-moved",
    "term-began",
    "receipt-issued",
    "job-reserved",
    "reservation-ended",
    "regeometry-advanced",
    "checkpoint-observed",
    "activity-observed",
    "run-times-observed",
    "interruption-noticed",
    "lease-started",
    "job-repairing",
    "job-repaired",
    "domain-taken",
    "standings-observed",
    "placement-deferred",
    "receipt-ended",
    "lease-suspended",
    "lease-resumed",
    "lease-overdue",
    "token-issued",
    "token-revoked",
    "actor-noted",
    "trial-ended",
    "node-condition-wanted"};
static_assert(!kNames.back().empty(), "each event has a name");

template <std::size_t I = 0>
void read_body(ByteReader& in, std::size_t kind, EventBody& body) {
  if constexpr (I < std::variant_size_v<EventBody>) {
    if (kind == I) {
      serial::read(in, body.template emplace<I>());
    } else {
      read_body<I + 1>(in, kind, body);
    }
  } else {
    in.reject();
  }
}

}  // namespace

std::string_view event_name(const EventBody& body) { return kNames[body.index()]; }

void write_event(ByteWriter& out, const Event& event) {
  out.u8(static_cast<std::uint8_t>(event.body.index()));
  out.svarint(event.at);
  std::visit([&out](const auto& body) { serial::write(out, body); }, event.body);
}

Result<Event> read_event(ByteReader& in) {
  Event event;
  const std::uint8_t kind = in.u8();
  event.at = in.svarint();
  if (in.ok()) read_body(in, kind, event.body);
  if (!in.ok()) {
    return fail(ErrorCode::kCorrupt,
                "no event of this version at byte " + std::to_string(in.position()));
  }
  return event;
}

}  // namespace berth

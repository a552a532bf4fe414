// The messages themselves; what they are made of is in convert.cc.
#include "wire/proto.h"

#include <utility>

#include "wire/convert.h"

namespace berth::wire {
namespace {

constexpr std::size_t kCheckpointIdLimit = 256;  // bytes
constexpr std::size_t kErrorLimit = 4096;        // bytes of what a driver says

// Reports

void put_report(const ReportPrepared& from, v1::Report& to) {
  put({from.lease, from.epoch}, *to.mutable_prepared());
}
void put_report(const ReportPrepareFailed& from, v1::Report& to) {
  put({from.lease, from.epoch}, *to.mutable_prepare_failed()->mutable_key());
  to.mutable_prepare_failed()->set_reason(from.reason);
}
void put_report(const ReportEnded& from, v1::Report& to) {
  put({from.lease, from.epoch}, *to.mutable_ended()->mutable_key());
  to.mutable_ended()->set_reason(wire_word<v1::EndReason>(from.reason));
}
void put_report(const ReportReleased& from, v1::Report& to) {
  put({from.lease, from.epoch}, *to.mutable_released()->mutable_key());
  to.mutable_released()->set_checkpoint(from.checkpoint);
}
void put_report(const ReportSuspended& from, v1::Report& to) {
  put({from.lease, from.epoch}, *to.mutable_suspended());
}
void put_report(const ReportCheckpoint& from, v1::Report& to) {
  put({from.lease, from.epoch}, *to.mutable_checkpoint()->mutable_key());
  to.mutable_checkpoint()->set_checkpoint(from.checkpoint);
}
void put_report(const ReportActivity& from, v1::Report& to) {
  put({from.lease, from.epoch}, *to.mutable_activity()->mutable_key());
  to.mutable_activity()->set_busy_ppm(from.busy_ppm);
}
void put_report(const ReportLayout& from, v1::Report& to) {
  v1::LayoutRead& layout = *to.mutable_layout();
  layout.set_card(from.card);
  layout.set_number(from.ask);
  put(from.layout, *layout.mutable_layout());
  layout.set_error(from.error);
}
void put_report(const agent::OrderRefused& from, v1::Report& to) {
  put(from.key, *to.mutable_refused()->mutable_key());
  to.mutable_refused()->set_reason(from.reason);
}

agent::ReportBody read_report(Reader& in, const v1::Report& from) {
  switch (from.body_case()) {
    case v1::Report::kPrepared: {
      const agent::LeaseKey key = in.key(from.prepared());
      return ReportPrepared{key.lease, key.epoch};
    }
    case v1::Report::kPrepareFailed: {
      const agent::LeaseKey key = in.key(from.prepare_failed().key());
      return ReportPrepareFailed{key.lease, key.epoch,
                                 in.text(from.prepare_failed().reason(), kErrorLimit, "reason")};
    }
    case v1::Report::kEnded: {
      const agent::LeaseKey key = in.key(from.ended().key());
      return ReportEnded{key.lease, key.epoch,
                         in.word_of<EndReason>(from.ended().reason(), "reason")};
    }
    case v1::Report::kReleased: {
      const agent::LeaseKey key = in.key(from.released().key());
      return ReportReleased{
          key.lease, key.epoch,
          in.text(from.released().checkpoint(), kCheckpointIdLimit, "checkpoint")};
    }
    case v1::Report::kSuspended: {
      const agent::LeaseKey key = in.key(from.suspended());
      return ReportSuspended{key.lease, key.epoch};
    }
    case v1::Report::kCheckpoint: {
      const agent::LeaseKey key = in.key(from.checkpoint().key());
      return ReportCheckpoint{
          key.lease, key.epoch,
          in.text(from.checkpoint().checkpoint(), kCheckpointIdLimit, "checkpoint")};
    }
    case v1::Report::kActivity: {
      const agent::LeaseKey key = in.key(from.activity().key());
      return ReportActivity{key.lease, key.epoch,
                            in.range(from.activity().busy_ppm(), 0, kPpmOne, "busy_ppm")};
    }
    case v1::Report::kLayout:
      return ReportLayout{
          {},
          in.at_most<std::uint16_t>(from.layout().card(), kCardsPerNodeLimit - 1, "card"),
          from.layout().number(),
          in.layout(from.layout().layout()),
          in.text(from.layout().error(), kErrorLimit, "error")};
    case v1::Report::kRefused:
      return agent::OrderRefused{in.key(from.refused().key()),
                                 in.text(from.refused().reason(), kErrorLimit, "reason")};
    case v1::Report::BODY_NOT_SET:
      break;
  }
  in.refuse("is none that this server knows", "report.body");
  return ReportPrepared{};
}

// Orders

void put_order(const agent::PrepareOrder& from, v1::Order& to) {
  put(from.grant, *to.mutable_prepare());
}
void put_order(const agent::StartOrder& from, v1::Order& to) { put(from.key, *to.mutable_start()); }
void put_order(const agent::ResumeOrder& from, v1::Order& to) {
  put(from.key, *to.mutable_resume()->mutable_key());
  put(from.cards, *to.mutable_resume()->mutable_cards());
}
void put_order(const agent::MoveOrder& from, v1::Order& to) {
  put(from.grant, *to.mutable_move()->mutable_grant());
  to.mutable_move()->set_from(from.from);
}
void put_order(const agent::LeaveOrder& from, v1::Order& to) { put(from.key, *to.mutable_leave()); }
void put_order(const agent::RevokeOrder& from, v1::Order& to) {
  v1::Revoke& revoke = *to.mutable_revoke();
  put(from.key, *revoke.mutable_key());
  revoke.set_grade(wire_word<v1::ReclaimGrade>(from.grade));
  if (from.grace_ms) revoke.set_grace_ms(*from.grace_ms);
  revoke.set_image_mib(from.image_mib);
  if (!from.receipt.is_none()) revoke.set_receipt(from.receipt.value());
}
void put_order(const agent::LayoutOrder& from, v1::Order& to) {
  v1::ChangeLayout& change = *to.mutable_change_layout();
  change.set_number(from.number);
  change.set_card(from.card);
  put(from.wanted, *change.mutable_wanted());
  put(from.standing, *change.mutable_standing());
}

agent::RevokeOrder read_revoke(Reader& in, const v1::Revoke& from) {
  agent::RevokeOrder order;
  order.key = in.key(from.key());
  order.grade = in.word_of<ReclaimGrade>(from.grade(), "revoke.grade");
  if (from.has_grace_ms()) order.grace_ms = in.amount(from.grace_ms(), "revoke.grace_ms");
  order.image_mib = in.amount(from.image_mib(), "revoke.image_mib");
  if (from.has_receipt()) order.receipt = ReceiptId(from.receipt());
  return order;
}

agent::OrderBody read_order(Reader& in, const v1::Order& from) {
  switch (from.body_case()) {
    case v1::Order::kPrepare:
      return agent::PrepareOrder{in.grant(from.prepare())};
    case v1::Order::kStart:
      return agent::StartOrder{in.key(from.start())};
    case v1::Order::kResume:
      return agent::ResumeOrder{in.key(from.resume().key()), in.cards(from.resume().cards())};
    case v1::Order::kMove:
      return agent::MoveOrder{in.grant(from.move().grant()),
                              in.text(from.move().from(), kNameLimit, "move.from")};
    case v1::Order::kLeave:
      return agent::LeaveOrder{in.key(from.leave())};
    case v1::Order::kRevoke:
      return read_revoke(in, from.revoke());
    case v1::Order::kChangeLayout:
      return agent::LayoutOrder{
          from.change_layout().number(),
          in.at_most<std::uint16_t>(from.change_layout().card(), kCardsPerNodeLimit - 1, "card"),
          in.layout(from.change_layout().wanted()), in.layout(from.change_layout().standing())};
    case v1::Order::BODY_NOT_SET:
      break;
  }
  in.refuse("is none that this agent knows", "order.body");
  return agent::StartOrder{};
}

// Sessions

void put_message(const agent::Join& from, v1::FromAgent& to) {
  v1::Join& join = *to.mutable_join();
  join.set_protocol(from.protocol);
  join.set_token(from.token);
  join.set_instance(from.instance);
  join.set_term(from.term);
  put(from.node, *join.mutable_inventory());
  for (const agent::HeldLease& held : from.leases) {
    v1::Held& one = *join.add_leases();
    put(held.key, *one.mutable_key());
    one.set_term(held.term);
    one.set_state(wire_word<v1::TaskState>(held.state));
  }
}
void put_message(const agent::Report& from, v1::FromAgent& to) {
  to.mutable_report()->set_number(from.number);
  std::visit([&](const auto& body) { put_report(body, *to.mutable_report()); }, from.body);
}
void put_message(const agent::Heartbeat& from, v1::FromAgent& to) {
  to.mutable_heartbeat()->set_number(from.number);
}

void put_message(const agent::Welcome& from, v1::FromServer& to) {
  to.mutable_welcome()->set_term(from.term);
  to.mutable_welcome()->set_heartbeat_ms(from.heartbeat_ms);
  to.mutable_welcome()->set_lost_after_ms(from.lost_after_ms);
}
void put_message(const agent::Order& from, v1::FromServer& to) {
  to.mutable_order()->set_term(from.term);
  std::visit([&](const auto& body) { put_order(body, *to.mutable_order()); }, from.body);
}
void put_message(const agent::Acknowledged& from, v1::FromServer& to) {
  to.mutable_acknowledged()->set_number(from.number);
}
void put_message(const agent::Heartbeat& from, v1::FromServer& to) {
  to.mutable_heartbeat()->set_number(from.number);
}

agent::Join read_join(Reader& in, const v1::Join& from) {
  agent::Join join;
  join.protocol = from.protocol();
  join.token = in.text(from.token(), agent::kTokenLimit, "token");
  join.instance = in.text(from.instance(), kNameLimit, "instance");
  join.term = from.term();
  join.node = in.node(from.inventory());
  // beside what it holds it names what has ended and is not acknowledged
  if (!in.count(from.leases(), 2 * agent::kLeasesPerNodeLimit, "leases")) return join;
  for (const v1::Held& held : from.leases()) {
    join.leases.push_back({in.key(held.key()), held.term(),
                           in.word_of<agent::TaskState>(held.state(), "leases.state")});
  }
  return join;
}

}  // namespace

v1::FromAgent to_proto(const agent::FromAgent& message) {
  v1::FromAgent to;
  std::visit([&](const auto& body) { put_message(body, to); }, message);
  return to;
}

v1::FromServer to_proto(const agent::FromServer& message) {
  v1::FromServer to;
  std::visit([&](const auto& body) { put_message(body, to); }, message);
  return to;
}

Result<agent::FromAgent> from_proto(const v1::FromAgent& message) {
  Reader in;
  agent::FromAgent read;
  switch (message.body_case()) {
    case v1::FromAgent::kJoin:
      read = read_join(in, message.join());
      break;
    case v1::FromAgent::kReport:
      read = agent::Report{message.report().number(), read_report(in, message.report())};
      break;
    case v1::FromAgent::kHeartbeat:
      read = agent::Heartbeat{message.heartbeat().number()};
      break;
    case v1::FromAgent::BODY_NOT_SET:
      in.refuse("is none that this server knows", "body");
      break;
  }
  if (auto s = in.status(); !s) return tl::unexpected(s.error());
  return read;
}

Result<agent::FromServer> from_proto(const v1::FromServer& message) {
  Reader in;
  agent::FromServer read;
  switch (message.body_case()) {
    case v1::FromServer::kWelcome:
      read = agent::Welcome{
          message.welcome().term(),
          in.range(message.welcome().heartbeat_ms(), 1, kHourMs, "heartbeat_ms"),
          in.range(message.welcome().lost_after_ms(), 1, 24 * kHourMs, "lost_after_ms")};
      break;
    case v1::FromServer::kOrder:
      read = agent::Order{message.order().term(), read_order(in, message.order())};
      break;
    case v1::FromServer::kAcknowledged:
      read = agent::Acknowledged{message.acknowledged().number()};
      break;
    case v1::FromServer::kHeartbeat:
      read = agent::Heartbeat{message.heartbeat().number()};
      break;
    case v1::FromServer::BODY_NOT_SET:
      in.refuse("is none that this agent knows", "body");
      break;
  }
  if (auto s = in.status(); !s) return tl::unexpected(s.error());
  return read;
}

}  // namespace berth::wire

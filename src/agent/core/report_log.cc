#include "agent/core/report_log.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "model/serial.h"

namespace berth::agent {
namespace {

// Lists the fields of a report for its saved form.
template <typename Self, typename Visitor>
void fields_of(Self& self, Visitor&& visit) {
  using Body = std::remove_const_t<Self>;
  if constexpr (std::is_same_v<Body, ReportLayout>) {
    visit(self.node, self.card, self.ask, self.layout, self.error);
  } else if constexpr (std::is_same_v<Body, ReportPrepareFailed> ||
                       std::is_same_v<Body, ReportEnded> || std::is_same_v<Body, OrderRefused>) {
    if constexpr (std::is_same_v<Body, OrderRefused>) {
      visit(self.key, self.reason);
    } else {
      visit(self.lease, self.epoch, self.reason);
    }
  } else if constexpr (std::is_same_v<Body, ReportReleased> ||
                       std::is_same_v<Body, ReportCheckpoint>) {
    visit(self.lease, self.epoch, self.checkpoint);
  } else if constexpr (std::is_same_v<Body, ReportActivity>) {
    visit(self.lease, self.epoch, self.busy_ppm);
  } else {
    visit(self.lease, self.epoch);
  }
}

template <std::size_t kIndex = 0>
ReportBody body_of(std::size_t index, ByteReader& in) {
  if constexpr (kIndex == std::variant_size_v<ReportBody>) {
    in.reject();
    return ReportPrepared{};
  } else {
    if (index != kIndex) return body_of<kIndex + 1>(index, in);
    std::variant_alternative_t<kIndex, ReportBody> body;
    fields_of(body, [&in](auto&... field) { (serial::read(in, field), ...); });
    return body;
  }
}

// A newer one of these says all that an older one did.
bool replaces(const ReportBody& newer, const ReportBody& older) {
  const bool one_is_enough = std::holds_alternative<ReportActivity>(newer) ||
                             std::holds_alternative<ReportCheckpoint>(newer);
  return one_is_enough && newer.index() == older.index() && key_of(newer) == key_of(older);
}

}  // namespace

LeaseKey key_of(const ReportBody& body) {
  return std::visit(
      [](const auto& report) -> LeaseKey {
        using Body = std::decay_t<decltype(report)>;
        if constexpr (std::is_same_v<Body, ReportLayout>) {
          return {};
        } else if constexpr (std::is_same_v<Body, OrderRefused>) {
          return report.key;
        } else {
          return {report.lease, report.epoch};
        }
      },
      body);
}

bool is_final(const ReportBody& body) {
  return std::holds_alternative<ReportPrepareFailed>(body) ||
         std::holds_alternative<ReportEnded>(body) || std::holds_alternative<ReportReleased>(body);
}

Report ReportLog::add(ReportBody body) {
  std::erase_if(waiting_, [&](const Report& older) { return replaces(body, older.body); });
  waiting_.push_back({next_++, std::move(body)});
  return waiting_.back();
}

void ReportLog::acknowledge(std::uint64_t number) {
  while (!waiting_.empty() && waiting_.front().number <= number) waiting_.pop_front();
}

std::vector<LeaseKey> ReportLog::ended() const {
  std::vector<LeaseKey> keys;
  for (const Report& report : waiting_) {
    if (is_final(report.body)) keys.push_back(key_of(report.body));
  }
  return keys;
}

bool ReportLog::has_ended(LeaseKey key) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Report& report) {
    return is_final(report.body) && key_of(report.body) == key;
  });
}

void ReportLog::save(ByteWriter& out) const {
  out.varint(next_);
  out.varint(waiting_.size());
  for (const Report& report : waiting_) {
    out.varint(report.number);
    out.u8(static_cast<std::uint8_t>(report.body.index()));
    std::visit(
        [&out](const auto& body) {
          fields_of(body, [&out](const auto&... field) { (serial::write(out, field), ...); });
        },
        report.body);
  }
}

ReportLog ReportLog::load(ByteReader& in) {
  ReportLog log;
  log.next_ = in.varint();
  const std::size_t count = in.count();
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t number = in.varint();
    if (number <= last || number >= log.next_) in.reject();
    last = number;
    ReportBody body = body_of(in.u8(), in);
    log.waiting_.push_back({number, std::move(body)});
  }
  return log;
}

}  // namespace berth::agent

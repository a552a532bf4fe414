// EtcdFeed: follows a journal in etcd that another process writes. It reads ranges until it is at
// the end and then what a watch brings; whenever the watch breaks, leaves something out or falls
// silent while the journal goes on, it reads ranges again. It must never write.
//
// One follower at a time; newest() at any time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "control/ports.h"
#include "journal/etcd_reader.h"

namespace berth::journal {

class EtcdFeed final : public control::JournalFeed {
 public:
  // There may be no journal yet; then the feed waits for it.
  static Result<std::unique_ptr<EtcdFeed>> open(EtcdSettings settings, std::string prefix);

  Status follow(std::uint64_t after, const std::function<Status(const EventBatch&)>& visit,
                const std::function<void(const control::FeedMark&)>& caught_up,
                const std::stop_token& stop) const override;
  Result<std::optional<control::Snapshot>> newest() const override { return reader_.newest(); }

 private:
  explicit EtcdFeed(EtcdReader reader) : reader_(std::move(reader)) {}

  EtcdReader reader_;
};

}  // namespace berth::journal

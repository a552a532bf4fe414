// What both directions of the translation share. For src/wire alone.
#pragma once

#include <berth/agent/v1/agent.pb.h>

#include <string>
#include <vector>

#include "agent/core/messages.h"
#include "base/error.h"

namespace berth::wire {

namespace v1 = ::berth::agent::v1;

// Reads fields and keeps the first error; what is read after it does not matter.
class Reader {
 public:
  Status status() const { return error_.message.empty() ? Status{} : tl::unexpected(error_); }
  void refuse(std::string message, std::string field, ErrorCode code = ErrorCode::kInvalid) {
    if (error_.message.empty()) error_ = {code, std::move(message), std::move(field), 0};
  }

  // An enum whose first value on the wire is none, and then those of ours in their order.
  template <typename Enum>
  Enum word_of(int value, const char* field) {
    const auto words = words_of<Enum>();
    if (value >= 1 && static_cast<std::size_t>(value) <= words.size()) {
      return static_cast<Enum>(value - 1);
    }
    refuse(
        "is " + std::to_string(value) + "; 1 to " + std::to_string(words.size()) + " is accepted",
        field);
    return Enum{};
  }
  template <typename Number>
  Number at_most(std::uint64_t value, std::uint64_t most, const char* field) {
    if (value > most) {
      refuse("is " + std::to_string(value) + "; at most " + std::to_string(most) + " is accepted",
             field);
      return 0;
    }
    return static_cast<Number>(value);
  }
  std::int64_t amount(std::int64_t value, const char* field) {
    return range(value, 0, kAmountLimit, field);
  }
  std::int64_t range(std::int64_t value, std::int64_t least, std::int64_t most, const char* field);
  std::string text(const std::string& value, std::size_t most, const char* field);
  template <typename List>
  bool count(const List& list, std::size_t most, const char* field) {
    if (static_cast<std::size_t>(list.size()) <= most) return true;
    refuse("has " + std::to_string(list.size()) + " entries; at most " + std::to_string(most) +
               " are accepted",
           field, ErrorCode::kLimitExceeded);
    return false;
  }

  agent::LeaseKey key(const v1::LeaseKey& from);
  CardGrants cards(const google::protobuf::RepeatedPtrField<v1::CardGrant>& from);
  agent::Grant grant(const v1::Grant& from);
  std::vector<MigInstanceSpec> layout(
      const google::protobuf::RepeatedPtrField<v1::MigInstance>& from);
  NodeSpec node(const v1::Inventory& from);

 private:
  agent::TaskSpec task(const v1::TaskSpec& from);
  Container container(const v1::Container& from);
  CheckpointSpec checkpoint(const v1::Checkpoint& from);
  CardSpec card(const v1::Card& from);
  std::vector<Countable> amounts(const google::protobuf::RepeatedPtrField<v1::Amount>& from);
  std::vector<std::pair<std::string, std::string>> labels(
      const google::protobuf::RepeatedPtrField<v1::Label>& from, const char* field,
      std::size_t longest);

  Error error_;
};

template <typename Wire, typename Enum>
Wire wire_word(Enum value) {
  return static_cast<Wire>(static_cast<int>(value) + 1);
}

void put(const agent::LeaseKey& key, v1::LeaseKey& to);
void put(const CardGrants& cards, google::protobuf::RepeatedPtrField<v1::CardGrant>& to);
void put(const agent::Grant& grant, v1::Grant& to);
void put(const std::vector<MigInstanceSpec>& layout,
         google::protobuf::RepeatedPtrField<v1::MigInstance>& to);
void put(const NodeSpec& node, v1::Inventory& to);

}  // namespace berth::wire

#include "engine/state/ask_table.h"

#include <utility>

#include "model/serial.h"

namespace berth::engine {

AskIndex AskTable::intern(Ask ask) {
  std::string bytes = serial::to_bytes(ask);
  if (const AskIndex* known = by_bytes_.find(bytes)) return *known;
  const AskIndex index(static_cast<std::uint32_t>(asks_.size()));
  for (const RoleAsk& role : ask.roles) ask.tasks += role.count;
  asks_.push_back(std::move(ask));
  by_bytes_.insert(std::move(bytes), index);
  return index;
}

}  // namespace berth::engine

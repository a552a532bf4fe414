// Calls that are no calls: has(), cel.bind(), all(), map() and the like bind names or look at the
// form of their arguments, so the parser makes nodes of their own of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.h"
#include "selector/ast_builder.h"

namespace berth::selector {

struct CallName {
  std::string_view source;
  std::uint32_t offset = 0;
  std::string_view text;
};

// name(arguments)
Result<NodeId> expand_call(AstBuilder& builder, const CallName& name,
                           std::span<const NodeId> arguments);
// receiver.name(arguments)
Result<NodeId> expand_member_call(AstBuilder& builder, const CallName& name, NodeId receiver,
                                  std::span<const NodeId> arguments);

}  // namespace berth::selector

// AskTable: every distinct thing that a whole job can be asked room for, once: the shapes of its
// roles with their counts and topology. Jobs of one ask can stand for each other in every question
// of room, whoever owns them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/lookup_map.h"
#include "model/job.h"

namespace berth::engine {

using AskIndex = StrongId<struct AskTag, std::uint32_t>;

struct RoleAsk {
  ShapeIndex shape;
  std::uint32_t count = 1;
  std::uint32_t min = 1;
  bool elastic = false;
  bool optional = false;
  std::uint32_t segment_tasks = 0;
  std::vector<TopologyRule> rules;
  std::string name;  // for explanations; empty: the only role

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.shape, self.count, self.min, self.elastic, self.optional, self.segment_tasks,
          self.rules, self.name);
  }
};

struct Ask {
  std::vector<RoleAsk> roles;
  std::vector<Countable> domain_resources;
  std::uint32_t tasks = 0;  // of all roles

  bool is_single() const { return tasks == 1; }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.roles, self.domain_resources);
  }
};

class AskTable {
 public:
  // Index of the ask, new or known.
  AskIndex intern(Ask ask);
  const Ask& at(AskIndex index) const { return asks_[index.value()]; }
  std::size_t size() const { return asks_.size(); }

 private:
  std::vector<Ask> asks_;
  NameMap<AskIndex> by_bytes_;  // canonical bytes -> index
};

}  // namespace berth::engine

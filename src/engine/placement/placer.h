// Placer: finds the best place of one task under the state's policy. It keeps figures per slot that
// are derived from the state and never saved; asking it changes no decision that follows.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "engine/placement/card_choice.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

struct Candidate {
  NodeIndex node;
  CardGrants grants;  // exact cards of the node
  std::int64_t cost = 0;
};

// What placing on a node costs besides, in the units of the engine's own cost. Never negative.
class NodeToll {
 public:
  virtual ~NodeToll() = default;
  virtual std::int64_t of(NodeIndex node) const = 0;
};

// Where a search looks.
struct SearchScope {
  std::span<const ModelIndex> models = {};  // nodes of these only; none named: of any
  bool all_nodes = true;
  std::span<const NodeIndex> nodes = {};  // unless all: these
  // Read by the engine's own cost where nodes are named; null: none.
  const NodeToll* toll = nullptr;
};

// One way to choose: the engine's own cost with its index, or a table of named scores.
class PlacementMethod {
 public:
  virtual ~PlacementMethod() = default;
  // The cheapest place of one task of the shape now; the lowest node name on a tie. Nothing when
  // it fits nowhere.
  virtual std::optional<Candidate> find(const ClusterState& state, ShapeIndex shape) = 0;
  // The same in a part of the fleet. Looks at each node state in it.
  virtual std::optional<Candidate> find_in(const ClusterState& state, ShapeIndex shape,
                                           const SearchScope& scope) = 0;
  // Scarcity prices for the state as it is now.
  virtual Prices quote(const ClusterState& state) = 0;
};

class MigSearch;

class Placer {
 public:
  Placer();
  ~Placer();
  Placer(Placer&&) noexcept;
  Placer& operator=(Placer&&) noexcept;

  std::optional<Candidate> find(const ClusterState& state, ShapeIndex shape);
  std::optional<Candidate> find_in(const ClusterState& state, ShapeIndex shape,
                                   const SearchScope& scope);
  Prices quote(const ClusterState& state);
  // Serves every shape that asks for MIG instances alone, unless the policy names scores.
  MigSearch& mig() { return *mig_; }

 private:
  PlacementMethod& method_for(const ClusterState& state);

  std::unique_ptr<PlacementMethod> worth_;
  std::unique_ptr<PlacementMethod> scan_;
  std::vector<ScoreWeight> scores_;  // that scan_ was made for
  std::unique_ptr<MigSearch> mig_;
};

// Whether nodes of the kind are of one of the models; none named: always.
bool is_among(const ClusterState& state, NodeKindIndex kind, std::span<const ModelIndex> models);

// Names that PolicySpec::scores may use, for messages.
std::vector<std::string> score_names();

}  // namespace berth::engine

// The fleet: cluster figures, nodes, leases, partitions, pools, policy.
#include <algorithm>

#include "base/nearest.h"
#include "codec/fleet_codec.h"
#include "codec/policy_codec.h"
#include "engine/decide_trials.h"
#include "server/make_views.h"
#include "server/operations.h"
#include "server/page.h"
#include "server/redaction.h"

namespace berth::server {

// The body of a change of a node's condition.
struct ConditionRequest {
  NodeCondition condition = NodeCondition::kReady;
  friend bool operator==(const ConditionRequest&, const ConditionRequest&) = default;
};

}  // namespace berth::server

namespace berth::codec {
template <>
struct Describe<server::ConditionRequest> : Described<server::ConditionRequest> {
  static const ObjectSchema<server::ConditionRequest>& schema() {
    static const ObjectSchema<server::ConditionRequest> kSchema = [] {
      ObjectSchema<server::ConditionRequest> s("condition", "Whether a node takes work.");
      s.field("condition", &server::ConditionRequest::condition, words())
          .required()
          .text("From now on.");
      return s;
    }();
    return kSchema;
  }
};
}  // namespace berth::codec

namespace berth::server {
namespace {

using codec::Document;

void get_cluster(const CallPtr& call) {
  call->answer(codec::to_document(call->service().replica.read(cluster_view)));
}

// Jobs of others have no name.
NodeView shown_node(const Call& call, const Reading& reading, const engine::NodeRecord& node) {
  const Visibility sight(call.who(), reading);
  NodeView view = view_of(reading.state(), node);
  if (!sight.is_limited()) return view;
  for (CardView& card : view.cards) {
    for (CardUse& use : card.used_by) {
      if (sight.covers(use.queue)) continue;
      use.job = kOther;
      use.queue = kOther;
    }
  }
  if (!view.kept_for.empty()) view.kept_for = sight.in_field(node.held_for, view.kept_for);
  return view;
}

void list_nodes(const CallPtr& call) {
  const auto limit = page_limit(*call);
  if (!limit) return call->refuse(limit.error());
  const std::string after = call->query("after").value_or("");
  const auto condition = call->query("condition");
  const std::string model = call->query("model").value_or("");
  call->answer(page_document(call->service().replica.read([&](const Reading& reading) {
    const engine::ClusterState& state = reading.state();
    Page page;
    page.revision = state.revision();
    for (const NodeIndex index : state.nodes_by_name()) {
      const engine::NodeRecord& node = state.node(index);
      if (node.condition == NodeCondition::kRemoved || node.spec->name <= after) continue;
      if (condition && word(node.condition) != *condition) continue;
      if (!model.empty() && node.spec->model != model) continue;
      if (page.items.items().size() == *limit) {
        page.next = page.items.items().back().find("name")->as_string();
        break;
      }
      page.items.append(codec::to_document(shown_node(*call, reading, node)));
    }
    return page;
  })));
}

Error unknown_node(const engine::ClusterState& state, const std::string& name) {
  std::vector<std::string> names;
  for (const engine::NodeRecord& node : state.nodes()) names.push_back(node.spec->name);
  return {ErrorCode::kNotFound,
          "there is no node '" + name + "'" + suggestion(name, std::span<const std::string>(names)),
          "name", 0};
}

void get_node(const CallPtr& call) {
  const std::string& name = call->path("name");
  const auto document =
      call->service().replica.read([&](const Reading& reading) -> Result<Document> {
        const NodeIndex index = reading.state().find_node(name);
        if (index.is_none()) return tl::unexpected(unknown_node(reading.state(), name));
        return codec::to_document(shown_node(*call, reading, reading.state().node(index)));
      });
  if (!document) return call->refuse(document.error());
  call->answer(*document);
}

void join_node(const CallPtr& call) {
  auto node = call->body<NodeSpec>();
  if (!node) return call->refuse(node.error());
  if (node->name != call->path("name")) {
    return call->refuse({ErrorCode::kInvalid,
                         "is '" + node->name + "', and the path names '" + call->path("name") + "'",
                         "name", 0});
  }
  call->post(JoinNode{std::move(*node)}, [call](const control::Reply& reply) {
    call->answer(changed_document(call->path("name"), reply));
  });
}

void set_condition(const CallPtr& call) {
  const auto request = call->body<ConditionRequest>();
  if (!request) return call->refuse(request.error());
  call->post(SetNodeCondition{call->path("name"), request->condition},
             [call](const control::Reply& reply) {
               call->answer(changed_document(call->path("name"), reply));
             });
}

void list_leases(const CallPtr& call) {
  const auto limit = page_limit(*call);
  if (!limit) return call->refuse(limit.error());
  const auto after = static_cast<std::uint64_t>(call->number("after", 0));
  const std::string node = call->query("node").value_or("");
  const std::string job = call->query("job").value_or("");
  call->answer(page_document(call->service().replica.read([&](const Reading& reading) {
    const engine::ClusterState& state = reading.state();
    Page page;
    page.revision = state.revision();
    std::uint64_t last = 0;
    for (const LeaseId id : state.leases().sorted_ids()) {
      if (id.value() <= after) continue;
      const Lease& lease = state.leases().at(id);
      const engine::JobRecord& record = *state.find_job(lease.job);
      if (!job.empty() && record.name != job) continue;
      if (!node.empty() && state.node(lease.placement.node).spec->name != node) continue;
      if (!covers(call->who(), state, state.spec_of(record).spec->queue)) continue;
      if (page.items.items().size() == *limit) {
        page.next = std::to_string(last);
        break;
      }
      page.items.append(codec::to_document(view_of(state, lease)));
      last = id.value();
    }
    return page;
  })));
}

void list_partitions(const CallPtr& call) {
  call->answer(page_document(call->service().replica.read([&](const Reading& reading) {
    Page page;
    page.revision = reading.state().revision();
    for (std::uint16_t p = 0; p < reading.state().partition_count(); ++p) {
      page.items.append(codec::to_document(reading.state().partition(PartitionIndex(p))));
    }
    return page;
  })));
}

void put_partition(const CallPtr& call) {
  auto partition = call->body<PartitionSpec>();
  if (!partition) return call->refuse(partition.error());
  const std::string name = partition->name;
  call->post(DeclarePartition{std::move(*partition)}, [call, name](const control::Reply& reply) {
    call->answer(changed_document(name, reply));
  });
}

void show_topology(const CallPtr& call) {
  call->answer(call->service().replica.read([](const Reading& reading) {
    return codec::to_document(reading.state().topology(), codec::WriteStyle::kFull);
  }));
}

void put_topology(const CallPtr& call) {
  auto topology = call->body<TopologySpec>();
  if (!topology) return call->refuse(topology.error());
  call->post(DeclareTopology{std::move(*topology)}, [call](const control::Reply& reply) {
    call->answer(changed_document("topology", reply));
  });
}

// Parts of the fleet that one cycle plans apart.
Document full_document(const PolicySpec& policy) {
  return codec::to_document(policy, codec::WriteStyle::kFull);
}

void list_pools(const CallPtr& call) {
  call->answer(page_document(call->service().replica.read([&](const Reading& reading) {
    const engine::ClusterState& state = reading.state();
    Page page;
    page.revision = state.revision();
    for (std::size_t f = 0; f < state.quota().flavour_count(); ++f) {
      const engine::FlavourIndex index(static_cast<std::uint16_t>(f));
      const engine::Flavour& flavour = state.quota().flavour(index);
      if (flavour.is_cpu()) continue;
      const engine::FlavourCapacity& capacity = state.quota().capacity(index);
      Document pool = Document::map();
      pool.add("model", Document::string(state.model(flavour.model).gpu->name));
      pool.add("partition", flavour.partition.is_none()
                                ? Document()
                                : Document::string(state.partition(flavour.partition).name));
      pool.add("cards", Document::integer(capacity.units / kCard));
      pool.add("policy", Document::string(state.policies().in(flavour.partition)->name));
      pool.add("on_trial",
               Document::boolean(state.policies().trials().contains(flavour.partition)));
      pool.add("price_per_gpu_hour_micro", Document::integer(state.price_per_gpu_hour(flavour)));
      page.items.append(std::move(pool));
    }
    return page;
  })));
}

void get_policy(const CallPtr& call) {
  const std::string pool = call->query("pool").value_or("");
  const auto document = call->service().replica.read([&](const Reading& reading) {
    const engine::Policies& policies = reading.state().policies();
    if (pool.empty()) return Result<Document>(full_document(*policies.everywhere()));
    const auto partition = engine::pool_of(reading.state(), pool);
    if (!partition) return Result<Document>(tl::unexpected(partition.error()));
    return Result<Document>(full_document(*policies.in(*partition)));
  });
  if (!document) return call->refuse(document.error());
  call->answer(*document);
}

void put_policy(const CallPtr& call) {
  auto policy = call->body<PolicySpec>();
  if (!policy) return call->refuse(policy.error());
  const std::string name = policy->name;
  call->post(
      SetPolicy{std::move(*policy), call->query("pool").value_or("")},
      [call, name](const control::Reply& reply) { call->answer(changed_document(name, reply)); });
}

void restore_policy(const CallPtr& call) {
  const std::string pool = call->query("pool").value_or("");
  call->post(RestorePolicy{pool}, [call, pool](const control::Reply& reply) {
    call->answer(changed_document(pool.empty() ? "policy" : pool, reply));
  });
}

std::vector<Operation> node_operations() {
  using Kind = ParameterInfo::Kind;
  using Answers = Operation::Answers;
  const auto conditions = words_of<NodeCondition>();
  return {{"getCluster",
           "GET",
           "/v1/cluster",
           "The cluster in a few numbers.",
           Need::kSeeFleet,
           get_cluster,
           {},
           nullptr,
           schema_of<ClusterView>()},
          {"listNodes", "GET", "/v1/nodes", "Nodes by name, with their cards and who has them.",
           Need::kSeeFleet, list_nodes,
           page_parameters({{"condition",
                             "Only nodes in this condition.",
                             Kind::kText,
                             {conditions.begin(), conditions.end()}},
                            {"model", "Only nodes of this GPU model.", Kind::kText}}),
           nullptr, schema_of<NodeView>(), Answers::kList},
          {"getNode",
           "GET",
           "/v1/nodes/{name}",
           "A node.",
           Need::kSeeFleet,
           get_node,
           {},
           nullptr,
           schema_of<NodeView>()},
          {"joinNode",
           "PUT",
           "/v1/nodes/{name}",
           "A node joins, or comes back with more.",
           Need::kOperate,
           join_node,
           {},
           schema_of<NodeSpec>(),
           schema_of<Changed>(),
           Answers::kObject,
           200,
           true},
          {"setNodeCondition",
           "POST",
           "/v1/nodes/{name}/condition",
           "Cordons, drains, brings back or removes a node.",
           Need::kOperate,
           set_condition,
           {},
           schema_of<ConditionRequest>(),
           schema_of<Changed>(),
           Answers::kObject,
           200,
           true}};
}

// What is declared of the fleet, and what is in force.
std::vector<Operation> declared_operations() {
  using Kind = ParameterInfo::Kind;
  using Answers = Operation::Answers;
  return {{"listLeases", "GET", "/v1/leases", "Who holds what.", Need::kSeeTenants, list_leases,
           page_parameters({{"node", "Only leases on this node.", Kind::kText},
                            {"job", "Only leases of this job.", Kind::kText}}),
           nullptr, schema_of<LeaseView>(), Answers::kList},
          {"showTopology",
           "GET",
           "/v1/topology",
           "The levels of the fleet, and what their domains are.",
           Need::kSeeFleet,
           show_topology,
           {},
           nullptr,
           schema_of<TopologySpec>()},
          {"putTopology",
           "PUT",
           "/v1/topology",
           "Declares the levels of the fleet. Nodes that name a domain of a level join after that.",
           Need::kAdminister,
           put_topology,
           {},
           schema_of<TopologySpec>(),
           schema_of<Changed>(),
           Answers::kObject,
           200,
           true},
          {"listPartitions",
           "GET",
           "/v1/partitions",
           "Parts of the fleet by latency class.",
           Need::kSeeFleet,
           list_partitions,
           {},
           nullptr,
           schema_of<PartitionSpec>(),
           Answers::kList},
          {"putPartition",
           "PUT",
           "/v1/partitions",
           "Declares a partition.",
           Need::kAdminister,
           put_partition,
           {},
           schema_of<PartitionSpec>(),
           schema_of<Changed>(),
           Answers::kObject,
           200,
           true},
          {"listPools",
           "GET",
           "/v1/pools",
           "Cards of one model in one partition, in which quotas are given, with their price.",
           Need::kSeeFleet,
           list_pools,
           {},
           nullptr,
           nullptr,
           Answers::kList}};
}

std::vector<Operation> policy_operations() {
  using Answers = Operation::Answers;
  return {{"getPolicy",
           "GET",
           "/v1/policy",
           "The policy in force, with every default.",
           Need::kSeeFleet,
           get_policy,
           {{"pool", "The one that holds in this partition, or in 'default': those in none.",
             ParameterInfo::Kind::kText}},
           nullptr,
           schema_of<PolicySpec>()},
          {"putPolicy",
           "PUT",
           "/v1/policy",
           "Another policy, from the next cycle on. Everywhere it ends all trials.",
           Need::kAdminister,
           put_policy,
           {{"pool", "On trial in this partition only, or in 'default': nodes that are in none.",
             ParameterInfo::Kind::kText}},
           schema_of<PolicySpec>(),
           schema_of<Changed>(),
           Answers::kObject,
           200,
           true},
          {"restorePolicy",
           "POST",
           "/v1/policy/restore",
           "Back to the policy before; of a pool: its trial ends.",
           Need::kAdminister,
           restore_policy,
           {{"pool", "Whose trial ends.", ParameterInfo::Kind::kText}},
           nullptr,
           schema_of<Changed>(),
           Answers::kObject,
           200,
           true}};
}

}  // namespace

std::vector<Operation> fleet_operations() {
  std::vector<Operation> all = node_operations();
  for (Operation& operation : declared_operations()) all.push_back(std::move(operation));
  for (Operation& operation : policy_operations()) all.push_back(std::move(operation));
  return all;
}

}  // namespace berth::server

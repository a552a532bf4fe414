// Verbs that declare the fleet and its tenants.
#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "codec/policy_codec.h"
#include "codec/scalar.h"
#include "sim/scenario/layout_words.h"
#include "sim/scenario/queue_words.h"
#include "sim/scenario/verbs.h"

namespace berth::sim {
namespace {

constexpr std::int64_t kMostCards = static_cast<std::int64_t>(kCardsPerNodeLimit);

Step command_step(CommandBody body) {
  Step step;
  step.run = [body = std::move(body)](Session& session) {
    return session.execute(Command{body, {}, {}});
  };
  return step;
}

// Starts a fleet's declaration; says nothing and does nothing.
Step read_fleet(Arguments& /*arguments*/) {
  Step step;
  step.run = [](Session&) -> Status { return {}; };
  return step;
}

// A small synthetic model without MIG: what the driver keeps is not usable.
Step read_model(Arguments& arguments) {
  GpuModel model;
  model.name = arguments.positional("a name");
  model.vendor = "synthetic";
  model.architecture = "synthetic";
  const Mib total = arguments.memory("memory").value_or(80'000);
  model.memory_reserved_mib = arguments.memory("driver").value_or(0);
  model.memory_mib = total - *model.memory_reserved_mib;
  model.sms = static_cast<int>(arguments.whole("sms", 1, 100'000).value_or(100));
  model.mps.max_clients = static_cast<int>(arguments.whole("mps", 0, 10'000).value_or(48));
  model.time_slicing.supported = !arguments.has_word("no-timeslice");
  return command_step(DeclareModel{model});
}

// "+ domain LEVEL:NAME [parent=] [has=NAME:N,...]"
DomainSpec read_domain(Arguments& part) {
  DomainSpec domain;
  const std::string name = part.positional("LEVEL:NAME");
  const std::size_t colon = name.find(':');
  if (part.verb() != "domain" || colon == std::string::npos) {
    part.refuse("'" + part.verb() + " " + name + "' is not accepted; domain LEVEL:NAME is");
  }
  domain.level = name.substr(0, colon);
  domain.name = colon == std::string::npos ? name : name.substr(colon + 1);
  domain.parent = part.text("parent").value_or("");
  domain.resources = part.amounts("has");
  return domain;
}

// "leaf:50,pod:25"
std::vector<LevelBandwidth> read_bandwidths(Arguments& arguments) {
  std::vector<LevelBandwidth> found;
  for (const std::string& item : arguments.list("bandwidth")) {
    const std::size_t colon = item.find(':');
    const auto gb = whole_number(colon == std::string::npos ? "" : item.substr(colon + 1));
    if (!gb || *gb < 1 || *gb > kBandwidthLimit) {
      arguments.refuse("is '" + item + "'; LEVEL:GB-PER-S from 1 to " +
                           std::to_string(kBandwidthLimit) + " such as leaf:50 is accepted",
                       "bandwidth");
      break;
    }
    found.push_back({item.substr(0, colon), *gb});
  }
  return found;
}

// Domains that were there and are not named again stay, as do levels and bandwidths when none are
// said.
TopologySpec topology_after(TopologySpec topology, const TopologySpec& said) {
  if (!said.levels.empty()) topology.levels = said.levels;
  std::erase_if(topology.bandwidth, [&](const LevelBandwidth& one) {
    return std::find(topology.levels.begin(), topology.levels.end(), one.level) ==
           topology.levels.end();
  });
  if (!said.bandwidth.empty()) topology.bandwidth = said.bandwidth;
  for (const DomainSpec& domain : said.domains) {
    std::erase_if(topology.domains, [&](const DomainSpec& before) {
      return before.level == domain.level && before.name == domain.name;
    });
    topology.domains.push_back(domain);
  }
  return topology;
}

Step read_topology(Arguments& arguments) {
  TopologySpec said;
  said.levels = arguments.list("levels");
  said.bandwidth = read_bandwidths(arguments);
  for (Arguments& part : arguments.parts()) said.domains.push_back(read_domain(part));
  Step step;
  step.run = [said](Session& session) {
    const TopologySpec topology = topology_after(session.state().topology(), said);
    return session.execute(Command{DeclareTopology{topology}, {}, {}});
  };
  return step;
}

// domain=LEVEL:NAME,... or labels=KEY:VALUE,... of a node
std::vector<std::pair<std::string, std::string>> pairs(Arguments& arguments, const std::string& key,
                                                       const std::string& accepted) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& item : arguments.list(key)) {
    const std::size_t colon = item.find(':');
    if (colon == std::string::npos) {
      arguments.refuse("is '" + item + "'; " + accepted + " is accepted", key);
      break;
    }
    found.emplace_back(item.substr(0, colon), item.substr(colon + 1));
  }
  return found;
}

std::vector<JobClass> read_classes(Arguments& arguments) {
  std::vector<JobClass> classes;
  for (const std::string& name : arguments.list("classes")) {
    const auto found = from_word<JobClass>(name);
    if (found) {
      classes.push_back(*found);
    } else {
      arguments.refuse("'" + name + "' is not a class" + suggestion(name, words_of<JobClass>()),
                       "classes");
    }
  }
  return classes;
}

// A partition that is declared again keeps what the line does not say.
Step read_partition(Arguments& arguments) {
  const std::string name = arguments.positional("a name");
  const auto kind = arguments.word<PartitionKind>("kind");
  const std::vector<JobClass> classes = read_classes(arguments);
  Step step;
  step.run = [name, kind, classes](Session& session) {
    const PartitionIndex index = session.state().find_partition(name);
    PartitionSpec partition = index.is_none() ? PartitionSpec{} : session.state().partition(index);
    partition.name = name;
    partition.kind = kind.value_or(partition.kind);
    if (!classes.empty()) partition.classes = classes;
    return session.execute(Command{DeclarePartition{partition}, {}, {}});
  };
  return step;
}

Status refuse_model(Session& session, const std::string& model) {
  session.refuse({ErrorCode::kNotFound,
                  "'" + model + "' is not a GPU model" + suggestion(model, session.model_names()),
                  "model"});
  return {};
}

bool is_model(const Session& session, const std::string& name) {
  return name.empty() || !session.state().find_model(name).is_none();
}

QueueSpec queue_before(const engine::ClusterState& state, const std::string& name) {
  const QueueIndex index = state.find_queue(name);
  if (!index.is_none()) return *state.queues()[index.value()].spec;
  QueueSpec queue;
  queue.budget.action = BudgetAction::kStopBorrowing;
  return queue;
}

// Models of the catalogue join as they are named, whatever has been declared before.
Status declare_queue(Session& session, const QueueWords& words) {
  for (const QuotaWords& quota : words.quotas) {
    if (quota.model == kCpuQuota) continue;
    if (auto s = session.join_model(quota.model); !s) return s;
    if (!is_model(session, quota.model)) return refuse_model(session, quota.model);
  }
  const QueueSpec queue = words.said_of(queue_before(session.state(), words.name));
  return session.execute(Command{DeclareQueue{queue}, {}, {}});
}

Step read_queue(Arguments& arguments) {
  const QueueWords words = read_queue_words(arguments);
  Step step;
  step.run = [words](Session& session) { return declare_queue(session, words); };
  step.kind = StepKind::kQueue;
  step.names = {words.name};
  step.parent = words.parent;
  return step;
}

// "[guarantee,rank]"
Result<codec::Document> policy_list(const std::string& text) {
  codec::Document list = codec::Document::list();
  for (std::size_t from = 1; from + 1 < text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size() - 1);
    auto value = codec::plain_scalar(text.substr(from, end - from));
    if (!value) return value;
    list.append(std::move(*value));
    from = end + 1;
  }
  return list;
}

// A value of a policy file: a plain one, a list, or a map written as "T4:0.5,A30:1".
Result<codec::Document> policy_value(const std::string& text) {
  if (text.starts_with('[') && text.ends_with(']')) return policy_list(text);
  if (text.find(':') == std::string::npos) return codec::plain_scalar(text);
  codec::Document map = codec::Document::map();
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string item = text.substr(from, end - from);
    const std::size_t colon = std::min(item.find(':'), item.size());
    auto value = codec::plain_scalar(item.substr(std::min(colon + 1, item.size())));
    if (!value) return value;
    map.add(item.substr(0, colon), std::move(*value));
    from = end + 1;
  }
  return map;
}

// The policy that is in force with these fields instead of its own.
codec::Document with_fields(const PolicySpec& before, const codec::Document& fields) {
  codec::Document all = codec::Document::map();
  const codec::Document kept = codec::to_document(before);
  for (const codec::Member& member : kept.members()) {
    if (fields.find(member.key) == nullptr) all.add(member);
  }
  for (const codec::Member& member : fields.members()) all.add(member);
  return all;
}

Step policy_step(const codec::Document& fields, const std::string& pool) {
  Step step;
  step.run = [fields, pool](Session& session) -> Status {
    const auto policy =
        codec::from_document<PolicySpec>(with_fields(session.state().policy(), fields), {});
    if (!policy) return tl::unexpected(policy.error().items.front());
    return session.execute(Command{SetPolicy{*policy, pool}, {}, {}});
  };
  return step;
}

// restore-policy [pool=NAME]
Step read_restore_policy(Arguments& arguments) {
  const std::string pool = arguments.text("pool").value_or("");
  Step step;
  step.run = [pool](Session& session) -> Status {
    return session.execute(Command{RestorePolicy{pool}, {}, {}});
  };
  return step;
}

// policy [pool=NAME] [FIELD=VALUE ...]: fields of a policy file; those of an earlier line stay.
Step read_policy(Arguments& arguments) {
  const std::string pool = arguments.text("pool").value_or("");
  codec::Document fields = codec::Document::map();
  for (const auto& [key, value] : arguments.rest()) {
    auto read = policy_value(value);
    if (!read) {
      arguments.refuse(read.error().message, key);
      return read_fleet(arguments);
    }
    fields.add(key, std::move(*read));
  }
  const auto policy = codec::from_document<PolicySpec>(with_fields(PolicySpec{}, fields), {});
  if (!policy) arguments.check(tl::unexpected(policy.error().items.front()));
  return policy_step(fields, pool);
}

// islands=2 cuts the cards into equal parts, islands=7,7,2 into these.
std::vector<std::int64_t> island_sizes(Arguments& arguments, std::int64_t cards) {
  std::vector<std::int64_t> sizes;
  for (const std::string& item : arguments.list("islands")) {
    sizes.push_back(std::max<std::int64_t>(0, whole_number(item).value_or(0)));
  }
  if (sizes.empty()) return {cards};
  if (sizes.size() == 1) {
    const std::int64_t parts = std::max<std::int64_t>(1, sizes.front());
    sizes.assign(static_cast<std::size_t>(std::min(parts, kMostCards)), cards / parts);
  }
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) sum += size;
  if (sum == cards) return sizes;
  arguments.refuse("hold " + std::to_string(sum) + " of " + std::to_string(cards) + " cards",
                   "islands");
  return {cards};
}

NodeSpec read_node_spec(Arguments& arguments) {
  NodeSpec node;
  node.model = arguments.text("model").value_or("");
  node.partition = arguments.text("partition").value_or("");
  node.cpu_milli = arguments.cpu("cpu").value_or(128'000);
  node.memory_mib = arguments.memory("memory").value_or(1'048'576);
  node.card_memory_mib = arguments.memory("usable").value_or(0);
  node.card_reserve_mib = arguments.memory("reserve").value_or(0);
  node.resources = arguments.amounts("has");
  node.domains = pairs(arguments, "domain", "LEVEL:NAME such as leaf:a");
  node.labels = pairs(arguments, "labels", "KEY:VALUE such as rack:a7");
  CardSpec card;
  card.mig = arguments.word<MigRegime>("mig").value_or(MigRegime::kOff);
  card.layout = read_instances(arguments, "layout");  // of every card of the node
  card.timeslice_replicas =
      static_cast<std::uint32_t>(arguments.whole("replicas", 0, 1'000).value_or(0));
  const std::int64_t cards = arguments.whole("gpus", 0, kMostCards).value_or(0);
  const std::vector<std::int64_t> islands = island_sizes(arguments, cards);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    card.island = static_cast<std::uint32_t>(i);
    for (std::int64_t c = 0; c < islands[i]; ++c) node.cards.push_back(card);
  }
  return node;
}

Step read_node(Arguments& arguments) {
  const std::vector<std::string> names = arguments.names("a name");
  const NodeSpec node = read_node_spec(arguments);
  Step step;
  step.kind = StepKind::kNode;
  step.names = names;
  step.run = [names, node](Session& session) -> Status {
    if (auto s = session.join_model(node.model); !s) return s;
    if (!is_model(session, node.model)) return refuse_model(session, node.model);
    for (const std::string& name : names) {
      NodeSpec named = node;
      named.name = name;
      if (auto s = session.execute(Command{JoinNode{named}, {}, {}}); !s) return s;
    }
    return {};
  };
  return step;
}

constexpr Verb kVerbs[] = {
    {"fleet", "fleet", "Opens the declaration of a fleet.", &read_fleet},
    {"model", "model NAME [memory=80000MiB] [driver=480MiB] [sms=] [mps=CLIENTS] [no-timeslice]",
     "A small GPU model of its own; `driver` is kept by the driver and never usable.", &read_model},
    {"topology",
     "topology levels=card,island,node,leaf [bandwidth=LEVEL:GB-PER-S,...] [+ domain LEVEL:NAME "
     "[parent=] [has=NAME:N,...]]",
     "Levels, from the leaf to the root, and domains that have something to say of.",
     &read_topology},
    {"partition", "partition NAME [kind=serving|shared|batch|spot] [classes=a,b]",
     "A part of the fleet with its own admission.", &read_partition},
    {"queue",
     "queue NAME [parent=] [guarantee=CARDS] [limit=CARDS|none] [lend=CARDS|none] [weight=] "
     "[priority=] [trust=] [order=] [model=] [partition=] [budget=MONEY] "
     "[when_spent=warn|stop-borrowing|hold-new] "
     "[+ quota model=MODEL|cpu guarantee= ...] [+ class NAME limit=]",
     "A node of the quota tree. Declared again, it keeps what the line does not say.", &read_queue},
    {"policy", "policy [pool=NAME] [FIELD=VALUE ...]",
     "Fields of a policy file, beside those of earlier lines; a map is T4:0.5,A30:1. With a pool, "
     "on trial there only.",
     &read_policy},
    {"restore-policy", "restore-policy [pool=NAME]",
     "The policy before holds again; of a pool: its trial ends.", &read_restore_policy},
    {"node",
     "node NAME model=MODEL gpus=N [cpu=] [memory=] [islands=] [mig=off|dynamic|static] "
     "[layout=PROFILE@SLOT,...] [replicas=] [usable=] [reserve=] [has=NAME:N,...] "
     "[domain=LEVEL:NAME,...] [labels=KEY:VALUE,...] [partition=]",
     "A machine, or many: n[1-4].", &read_node},
};

}  // namespace

std::span<const Verb> fleet_verbs() { return kVerbs; }

}  // namespace berth::sim

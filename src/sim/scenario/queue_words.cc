#include "sim/scenario/queue_words.h"

#include <algorithm>

#include "base/nearest.h"

namespace berth::sim {
namespace {

constexpr std::int64_t kMostQuotaCards = 1'000'000;
constexpr std::int64_t kMostCount = 1'000'000;

std::optional<std::uint32_t> read_weight(Arguments& arguments, std::int64_t least) {
  const auto weight = arguments.whole("weight", least, kMostCount);
  if (!weight) return std::nullopt;
  return static_cast<std::uint32_t>(*weight);
}

LimitWord read_limit(Arguments& arguments, const std::string& key) {
  if (arguments.is_value(key, "none")) return {true, std::nullopt};
  const auto cards = arguments.cards(key, kMostQuotaCards);
  return {cards.has_value(), cards};
}

QuotaWords read_quota(Arguments& arguments) {
  QuotaWords quota;
  quota.model = arguments.text("model").value_or("");
  quota.partition = arguments.text("partition").value_or("");
  quota.guarantee = arguments.cards("guarantee", kMostQuotaCards);
  quota.limit = read_limit(arguments, "limit");
  quota.lend = read_limit(arguments, "lend");
  return quota;
}

ClassLimit read_class_limit(Arguments& part) {
  const std::string name = part.positional("a class");
  const auto job_class = from_word<JobClass>(name);
  if (!job_class) {
    part.refuse("'" + name + "' is not a class" + suggestion(name, words_of<JobClass>()));
  }
  const auto limit = part.cards("limit", kMostQuotaCards);
  if (!limit) part.refuse("is missing; the most cards of the class are needed", "limit");
  return {job_class.value_or(JobClass::kTraining), limit.value_or(0)};
}

// "+ quota model= ..." and "+ class NAME limit="
void read_part(Arguments& part, QueueWords& words) {
  if (part.verb() == "class") {
    words.class_limits.push_back(read_class_limit(part));
  } else if (part.verb() == "quota") {
    words.quotas.push_back(read_quota(part));
    words.quotas.back().weight = read_weight(part, 0);
  } else {
    part.refuse("'" + part.verb() + "' is not accepted after '+'; quota or class is");
  }
}

// One line says each thing once.
void refuse_twice(Arguments& arguments, const QueueWords& words) {
  for (std::size_t i = 0; i < words.quotas.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const QuotaWords& a = words.quotas[i];
      const QuotaWords& b = words.quotas[j];
      if (a.model != b.model || a.partition != b.partition) continue;
      arguments.refuse("the quota of " + (a.model.empty() ? "any model" : "'" + a.model + "'") +
                       " is said twice; one is accepted");
    }
  }
  for (std::size_t i = 0; i < words.class_limits.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const JobClass job_class = words.class_limits[i].job_class;
      if (job_class != words.class_limits[j].job_class) continue;
      arguments.refuse("the limit of class " + std::string(word(job_class)) +
                       " is said twice; one is accepted");
    }
  }
}

FlavourQuota& quota_of(QueueSpec& queue, const QuotaWords& words) {
  const auto found =
      std::find_if(queue.quotas.begin(), queue.quotas.end(), [&](const FlavourQuota& quota) {
        return quota.model == words.model && quota.partition == words.partition;
      });
  if (found != queue.quotas.end()) return *found;
  FlavourQuota quota;
  quota.model = words.model;
  quota.partition = words.partition;
  quota.weight = queue.weight;
  return queue.quotas.emplace_back(quota);
}

void say(const QuotaWords& words, QueueSpec& queue) {
  FlavourQuota& quota = quota_of(queue, words);
  quota.guarantee = words.guarantee.value_or(quota.guarantee);
  quota.weight = words.weight.value_or(quota.weight);
  if (words.limit.is_said) quota.limit = words.limit.cards;
  if (words.lend.is_said) quota.lend = words.lend.cards;
}

void say(const ClassLimit& limit, QueueSpec& queue) {
  const auto found =
      std::find_if(queue.class_limits.begin(), queue.class_limits.end(),
                   [&](const ClassLimit& before) { return before.job_class == limit.job_class; });
  if (found == queue.class_limits.end()) {
    queue.class_limits.push_back(limit);
  } else {
    found->limit = limit.limit;
  }
}

// Quotas that have the queue's weight keep having it.
void say_weight(std::uint32_t weight, QueueSpec& queue) {
  for (FlavourQuota& quota : queue.quotas) {
    if (quota.weight == queue.weight) quota.weight = weight;
  }
  queue.weight = weight;
}

}  // namespace

QueueWords read_queue_words(Arguments& arguments) {
  QueueWords words;
  words.name = arguments.positional("a name");
  words.parent = arguments.text("parent").value_or("");
  words.trust_domain = arguments.text("trust").value_or("");
  if (const auto priority = arguments.whole("priority", -kMostCount, kMostCount)) {
    words.priority = static_cast<std::int32_t>(*priority);
  }
  words.weight = read_weight(arguments, 1);
  const QuotaWords quota = read_quota(arguments);
  if (quota.say_amount()) {
    words.quotas.push_back(quota);
  } else if (!quota.model.empty() || !quota.partition.empty()) {
    arguments.refuse("names a quota without an amount; guarantee=, limit= or lend= says one",
                     quota.model.empty() ? "partition" : "model");
  }
  for (Arguments& part : arguments.parts()) read_part(part, words);
  refuse_twice(arguments, words);
  words.order = arguments.word<QueueOrder>("order");
  if (const auto budget = arguments.whole("budget", 0, kMostCount)) {
    words.budget = *budget * 1'000'000;
  }
  words.when_spent = arguments.word<BudgetAction>("when_spent");
  return words;
}

QueueSpec QueueWords::said_of(QueueSpec before) const {
  QueueSpec queue = std::move(before);
  queue.name = name;
  if (!parent.empty()) queue.parent = parent;
  if (!trust_domain.empty()) queue.trust_domain = trust_domain;
  queue.priority = priority.value_or(queue.priority);
  if (weight) say_weight(*weight, queue);
  for (const QuotaWords& words : quotas) say(words, queue);
  for (const ClassLimit& limit : class_limits) say(limit, queue);
  queue.order = order.value_or(queue.order);
  queue.budget.per_month = budget.value_or(queue.budget.per_month);
  queue.budget.action = when_spent.value_or(queue.budget.action);
  return queue;
}

}  // namespace berth::sim

#include "model/rejection.h"

#include <algorithm>

#include "base/units.h"
#include "model/quantity_text.h"

namespace berth {
namespace {

// 300000 ppm -> "30 %", 125000 -> "12.5 %"
std::string percent(std::int64_t ppm) {
  std::string text = std::to_string(ppm / 10'000);
  std::int64_t rest = ppm % 10'000;
  if (rest != 0) {
    std::string digits = std::to_string(10'000 + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + " %";
}

// Numbers come in pairs "card", then what it lacks: "card 0 lacks 16,000 MiB, card 1 lacks 30 %".
std::string card_short(const Rejection& r) {
  std::string text;
  std::int64_t card = 0;
  for (const Number& n : r.numbers) {
    if (n.name == "card") {
      card = n.value;
      continue;
    }
    if (n.name != "lacks_mib" && n.name != "lacks_compute_ppm") continue;
    if (!text.empty()) text += ", ";
    text += "card " + std::to_string(card) + " lacks ";
    text += n.name == "lacks_mib" ? grouped(n.value) + " MiB" : percent(n.value) + " compute";
  }
  if (text.empty() && r.number("asked_mib") > 0) {
    text = "asks " + grouped(r.number("asked_mib")) + " MiB, largest free " +
           grouped(r.number("free_mib")) + " MiB";
  }
  if (text.empty()) {
    text = "asks " + percent(r.number("asked_compute_ppm")) + " of a card, largest free " +
           percent(r.number("free_compute_ppm"));
  }
  return text;
}

std::string asked_and_free(const Rejection& r, const std::string& unit) {
  return "asks " + grouped(r.number("asked")) + " " + unit + ", largest free " +
         grouped(r.number("free"));
}

bool has(const Rejection& r, std::string_view name) {
  return std::any_of(r.numbers.begin(), r.numbers.end(),
                     [&](const Number& n) { return n.name == name; });
}

// "1 card", "3 cards"
std::string many(std::int64_t count, const std::string& thing) {
  return grouped(count) + " " + thing + (count == 1 ? "" : "s");
}

// "1 card with room is", "3 cards with room are"
std::string counted(std::int64_t count, const std::string& thing, const std::string& rest) {
  const bool one = count == 1;
  return grouped(count) + " " + thing + (one ? "" : "s") + rest + (one ? " is" : " are");
}

// "1 card with room is in another sharing mode, 7 are in use"
std::string with_room(const Rejection& r, const std::string& rest) {
  std::string text = counted(r.number("cards"), "card", " with room") + " " + rest;
  const std::int64_t in_use = r.number("in_use");
  if (in_use > 0) text += ", " + grouped(in_use) + (in_use == 1 ? " is in use" : " are in use");
  return text;
}

std::string cards_text(std::int64_t milli) {
  return thousandths_text(milli) + (milli == 1000 ? " card" : " cards");
}

std::string cpus_text(std::int64_t milli) {
  return thousandths_text(milli) + (milli == 1000 ? " CPU" : " CPUs");
}

// "8 cards", "0.125 cards (2,048 MiB)", "1.5 CPUs"
std::string quota_amount(const Rejection& r, std::int64_t milli, std::int64_t mib) {
  if (r.number("cpus") > 0) return cpus_text(milli);
  std::string text = cards_text(milli);
  return mib > 0 && milli % 1000 != 0 ? text + " (" + grouped(mib) + " MiB)" : text;
}

std::string cards_text(const Rejection& r, std::string_view name) {
  return cards_text(r.number(name));
}

// In money, to the thousandth.
std::string money_text(MicroMoney micro) { return thousandths_text(micro / 1000); }

// Rounded up to whole seconds.
std::string seconds_text(DurationMs ms) { return grouped((ms + 999) / 1000) + " s"; }

// Why the quota says no: by the numbers that are there.
std::string quota_short(const Rejection& r) {
  const std::int64_t card_mib = r.number("card_mib");
  const auto amount = [&](std::string_view name) {
    const std::int64_t milli = r.number(name);
    return quota_amount(r, milli, card_mib * milli / 1000);
  };
  const std::string asks =
      "asks " + quota_amount(r, r.number("asked_milli"), r.number("asked_mib"));
  const auto left_of = [&](std::string_view limit) {
    const std::int64_t left = std::max<std::int64_t>(0, r.number(limit) - r.number("used_milli"));
    return thousandths_text(left) + " left of " + amount(limit);
  };
  if (has(r, "borrowed_milli")) {
    return amount("borrowed_milli") + (r.number("borrowed_milli") == 1000 ? " is" : " are") +
           " borrowed by " + r.place + ", while the guarantee of the job's own queue has room";
  }
  if (has(r, "limit_milli")) {
    std::string limit = asks + ", limit: " + left_of("limit_milli");
    if (!has(r, "kept_back_milli")) return limit;
    return limit + ", others under it keep back " + amount("kept_back_milli");
  }
  if (has(r, "class_limit_milli")) {
    return asks + ", limit of its class: " + left_of("class_limit_milli");
  }
  if (has(r, "budget_micro")) return asks + ", the budget of the month is spent";
  if (has(r, "guarantee_milli")) {
    return asks + " protected, guarantee: " + left_of("guarantee_milli");
  }
  return asks + ", may borrow " + amount("left_milli") + ", others keep back " +
         amount("kept_back_milli");
}

// Cards that the selector does not select; or those for which it has no answer, and why.
std::string selector_text(const Rejection& r) {
  if (has(r, "cards")) {
    return many(r.number("cards"), "card") + ": the selector has no answer: " + r.place;
  }
  if (r.number("accepted") == 0) return "the selector matches no card";
  return many(r.number("nodes"), "node") + " with cards that the selector does not match";
}

// Rules of nodes and their cards; empty for others.
std::string node_rule_text(const Rejection& r) {
  const std::string asked = grouped(r.number("asked"));
  const std::string free = grouped(r.number("free"));
  switch (r.rule) {
    case Rule::kNoNode:
      if (!r.place.empty()) return "no node in the partition";
      return r.number("nodes") > 0 ? "no node outside the partitions" : "no node has joined";
    case Rule::kModel:
      if (r.number("accepted") == 0) return "no node of an accepted GPU model";
      return counted(r.number("nodes"), "node", "") +
             (r.number("nodes") == 1 ? " of another GPU model" : " of other GPU models");
    case Rule::kSelector:
      return selector_text(r);
    case Rule::kNodeState:
      return counted(r.number("nodes"), "node", "") + " cordoned, draining or lost";
    case Rule::kCardHealth:
      return counted(r.number("cards"), "card", "") + " not healthy";
    case Rule::kCpu:
      return "asks " + thousandths_text(r.number("asked")) + " CPU, largest free " +
             thousandths_text(r.number("free"));
    case Rule::kHostMemory:
      return asked_and_free(r, "MiB of host memory");
    case Rule::kCountable:  // the first number is named like the resource
      return r.numbers.empty() ? "a countable resource is short"
                               : "asks " + grouped(r.numbers.front().value) + " " +
                                     r.numbers.front().name + ", largest free " + free;
    case Rule::kCards:
      if (r.number("together") > 0) {
        return "asks " + grouped(r.number("together")) +
               " devices together; each request alone would fit";
      }
      if (const std::int64_t most = r.number("most"); most > 0) {
        return "asks " + asked + " cards on one node, no node has more than " + grouped(most);
      }
      return "asks " + asked + (asked == "1" ? " free card" : " free cards") +
             " on one node, largest has " + free;
    case Rule::kCardShort:
      return card_short(r);
    case Rule::kDistinctCards:
      return asked + " different cards asked, " + free + " has room";
    case Rule::kDomain:
      return asked + " in one domain asked, largest has " + free + " free";
    case Rule::kMigProfile:
      return "no card can make the MIG profile";
    case Rule::kLayout:
      return many(r.number("instances"), "instance") + " to come from a change of layout";
    case Rule::kMigPlacement:
      return asked + (asked == "1" ? " MIG instance" : " MIG instances") + " asked, " + free +
             " can be made now";
    case Rule::kCardMode:
      return with_room(r, "in another sharing mode");
    case Rule::kTrustDomain:
      return with_room(r, "of another trust domain");
    case Rule::kClients:
      return with_room(r, "at the client limit");
    case Rule::kPartition:
      return counted(r.number("nodes"), "node", "") +
             (r.place.empty() ? " in partitions, and the job is in none"
                              : " outside the partition");
    default:
      return {};
  }
}

// What is being freed for the job, and how; a job that is itself moved is told where it goes on.
std::string reclaiming_text(const Rejection& r) {
  const std::string by_then = ", free in at most " + seconds_text(r.number("in_ms"));
  if (!has(r, "cards_milli")) return "goes on in another place" + by_then;
  const std::int64_t milli = r.number(has(r, "cpu_milli") ? "cpu_milli" : "cards_milli");
  const std::string things = has(r, "cpu_milli") ? cpus_text(milli) : cards_text(milli);
  const bool moves = r.place == word(ReclaimRight::kConsolidation);
  return things + (milli == 1000 ? " is" : " are") +
         (moves ? " being freed by moving " : " being taken back from ") +
         many(r.number("jobs"), "job") + by_then;
}

// Why nothing is taken back: whom it would hurt, or what is lacking even then.
std::string no_victim_text(const Rejection& r) {
  if (has(r, "guarantee_milli")) {
    return "no victim leaves " + r.place + " at " + cards_text(r, "guarantee_milli") + " or more";
  }
  if (!has(r, "asked")) return "evicting all that may be evicted does not help";
  const std::string asked = grouped(r.number("asked"));
  const std::string best =
      "best is " + grouped(r.number("free")) + " after evicting all that may be evicted";
  if (has(r, "together")) return asked + " tasks must start together; " + best;
  if (!r.place.empty()) return "no " + r.place + " can reach " + asked + " tasks; " + best;
  return "no node can reach " + asked + " free; " + best;
}

// What is taken back for the job, or why nothing is; empty: it is of another rule.
std::string reclaim_rule_text(const Rejection& r) {
  switch (r.rule) {
    case Rule::kReclaiming:
      if (has(r, "jobs") && r.number("jobs") == 0) {
        return "its room is being given back already, free in at most " +
               seconds_text(r.number("in_ms"));
      }
      return reclaiming_text(r);
    case Rule::kReclaimLimit:
      if (has(r, "interrupted")) {
        return "it was interrupted " + grouped(r.number("interrupted")) +
               " times in a day itself, and takes nothing back for a while";
      }
      if (has(r, "gain_micro")) {
        return "taking cards back would lose " + money_text(r.number("price_micro")) +
               ", waiting costs " + money_text(r.number("gain_micro"));
      }
      if (has(r, "most")) {
        return many(r.number("jobs"), "job") + " would have to be interrupted; " +
               grouped(r.number("recent")) + " of " + grouped(r.number("most")) +
               " an hour have been";
      }
      if (has(r, "budget")) {
        return "disruption budget " + grouped(r.number("budget")) + ", " +
               grouped(r.number("needed")) + " needed";
      }
      return cards_text(r, "cards_milli") + " could be taken back; " +
             thousandths_text(r.number("leaving_milli")) + " of " +
             thousandths_text(r.number("most_milli")) + " at once are going already";
    case Rule::kStuck:
      return cards_text(r, "cards_milli") + " held by a task that has survived its end";
    case Rule::kFairShare:
      return "fair " + thousandths_text(r.number("share_milli")) + ", held " +
             cards_text(r, "held_milli");
    case Rule::kNoVictim:
      return no_victim_text(r);
    default:
      return {};
  }
}

// Rules of queues, jobs and groups.
std::string job_rule_text(const Rejection& r) {
  const std::string asked = grouped(r.number("asked"));
  const std::string free = grouped(r.number("free"));
  switch (r.rule) {
    case Rule::kQueue:
      return "the queue is not open";
    case Rule::kQuota:
      return quota_short(r);
    case Rule::kGang:
      return asked + " tasks must start together, " + free + " fit now";
    case Rule::kTopology:
      return asked + " tasks within one " + (r.place.empty() ? "domain" : r.place) +
             " asked, largest fits " + free;
    case Rule::kReserved:
      if (r.place.empty()) return "room is kept for a reservation";
      return "room is kept for " + r.place +
             (has(r, "in_ms") ? ", due in " + ahead_text(r.number("in_ms")) : "");
    case Rule::kHeldByUser:
      return "held by its owner";
    case Rule::kBackoff:
      return "waits after a failed start";
    case Rule::kTurn:
      if (const std::int64_t before = r.number("before"); before > 0) {
        return many(before, "job") + " of its queue" + (before == 1 ? " goes" : " go") +
               " before it";
      }
      if (r.number("jobs") == 0) return "its turn comes with the next cycle";
      return counted(r.number("jobs"), "later job", "") + " of higher priority (up to " +
             grouped(r.number("highest")) + " over " + grouped(r.number("priority")) + ")";
    case Rule::kLocality:
      return "could start in " + asked + " domains, waits for a place in " + free;
    case Rule::kLacksTasks:
      return free + " of " + asked + " tasks run, " +
             grouped(r.number("asked") - r.number("free")) + " missing";
    case Rule::kOverPromised:
      return thousandths_text(r.number("promised_milli")) + " promised, " +
             thousandths_text(r.number("exists_milli")) + " exist";
    case Rule::kLendingReserve:
      return asked + (asked == "1" ? " card" : " cards") + " asked, " + free + " free; " +
             many(r.number("kept_cards"), "card") + " and " +
             many(r.number("kept_nodes"), "whole node") +
             " are left to tenants that would else wait longer than alone";
    case Rule::kGroup:
      if (r.number("together") > 0) {
        return grouped(r.number("together")) +
               " jobs of the group do not fit together, one is left over";
      }
      return asked + " jobs of the group start together, " + free +
             (free == "1" ? " is ready" : " are ready");
    default:
      return "no reason";
  }
}

std::string rule_text(const Rejection& r) {
  std::string text = node_rule_text(r);
  if (text.empty()) text = reclaim_rule_text(r);
  return text.empty() ? job_rule_text(r) : text;
}

}  // namespace

std::int64_t Rejection::number(std::string_view name) const {
  const auto it =
      std::find_if(numbers.begin(), numbers.end(), [&](const Number& n) { return n.name == name; });
  return it == numbers.end() ? 0 : it->value;
}

std::string Rejection::to_text() const {
  const std::string text = rule_text(*this);
  const bool in_text = rule == Rule::kTopology || rule == Rule::kReserved ||
                       rule == Rule::kNoVictim || rule == Rule::kSelector ||
                       has(*this, "borrowed_milli");
  return place.empty() || in_text ? text : text + " (" + place + ")";
}

bool same_grounds(const Rejections& a, const Rejections& b) {
  const auto same = [](const Rejection& x, const Rejection& y) {
    return x.rule == y.rule && x.place == y.place;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

}  // namespace berth

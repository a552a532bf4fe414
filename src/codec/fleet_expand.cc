// What "n-[001-100]" stands for.
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "codec/fleet_codec.h"
#include "codec/scalar.h"

namespace berth::codec {
namespace {

// A name with at most one range of numbers: before[first-last]after.
struct NameRange {
  std::string before;
  std::string after;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  std::size_t width = 0;  // digits, filled up with zeros; 0: no range

  std::string at(std::uint64_t index) const {
    if (width == 0) return before;
    std::string digits = std::to_string(first + index);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return before + digits + after;
  }
};

std::optional<std::uint64_t> parse_digits(std::string_view text) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<NameRange> parse_range(const std::string& name, const std::string& field) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos) return NameRange{name, {}, 0, 1, 0};
  const std::size_t dash = name.find('-', open);
  const std::size_t close = name.find(']', open);
  if (dash != std::string::npos && close != std::string::npos && dash < close) {
    const std::string first_text = name.substr(open + 1, dash - open - 1);
    const auto first = parse_digits(first_text);
    const auto last = parse_digits(std::string_view(name).substr(dash + 1, close - dash - 1));
    if (first && last && *first <= *last && *last - *first < kFleetNodeLimit &&
        *last < 1'000'000'000'000) {
      return NameRange{name.substr(0, open), name.substr(close + 1), *first, *last - *first + 1,
                       first_text.size()};
    }
  }
  return invalid("is " + shown(name) + "; a range such as n-[001-100], of at most " +
                     std::to_string(kFleetNodeLimit) + " names, is accepted",
                 field);
}

Result<std::vector<NameRange>> domain_ranges(const NodeGroup& group, std::uint64_t nodes) {
  std::vector<NameRange> ranges;
  for (std::size_t i = 0; i < group.domains.size(); ++i) {
    const std::string field = "domains[" + std::to_string(i) + "]";
    Result<NameRange> range = parse_range(group.domains[i].second, field);
    if (!range) return tl::unexpected<Error>(range.error());
    if (nodes % range->count != 0) {
      return invalid(std::to_string(nodes) + " nodes do not divide into " +
                         std::to_string(range->count) + " equal domains",
                     field);
    }
    ranges.push_back(std::move(*range));
  }
  return ranges;
}

// Entries of lists and maps that one node of the group has: what its copies cost.
std::size_t entries_of(const NodeSpec& node) {
  std::size_t entries = 1 + node.labels.size() + node.domains.size() + node.resources.size();
  for (const CardSpec& card : node.cards) entries += 1 + card.layout.size();
  return entries;
}

// A checked group: gives its nodes one by one.
class Expansion {
 public:
  static Result<Expansion> of(const NodeGroup& group) {
    Result<NameRange> names = parse_range(group.name, "name");
    if (!names) return tl::unexpected<Error>(names.error());
    if (names->count > kFleetEntryLimit / entries_of(group)) {
      return fail(ErrorCode::kLimitExceeded,
                  "stands for more than " + std::to_string(kFleetEntryLimit) +
                      " cards, labels and the like; fewer are accepted",
                  "name");
    }
    Result<std::vector<NameRange>> domains = domain_ranges(group, names->count);
    if (!domains) return tl::unexpected<Error>(domains.error());
    Expansion expansion(group, std::move(*names), std::move(*domains));
    // All but the names is the same, so the two ends stand for all.
    for (const std::uint64_t index : {std::uint64_t{0}, expansion.count() - 1}) {
      if (const Status status = validate(expansion.at(index)); !status) {
        return tl::unexpected<Error>(status.error());
      }
    }
    return expansion;
  }

  std::uint64_t count() const { return names_.count; }
  std::size_t entries() const { return names_.count * entries_of(*group_); }
  NodeSpec at(std::uint64_t index) const {
    NodeSpec node = *group_;
    node.name = names_.at(index);
    for (std::size_t i = 0; i < domains_.size(); ++i) {
      node.domains[i].second = domains_[i].at(index / (names_.count / domains_[i].count));
    }
    return node;
  }

 private:
  Expansion(const NodeGroup& group, NameRange names, std::vector<NameRange> domains)
      : group_(&group), names_(std::move(names)), domains_(std::move(domains)) {}

  const NodeGroup* group_;
  NameRange names_;
  std::vector<NameRange> domains_;
};

}  // namespace

Status check(const NodeGroup& group) {
  const Result<Expansion> expansion = Expansion::of(group);
  return expansion ? Status{} : tl::unexpected<Error>(expansion.error());
}

Result<std::vector<NodeSpec>> expand(const FleetFile& fleet) {
  std::vector<NodeSpec> nodes;
  std::set<std::string, std::less<>> names;
  std::size_t entries = 0;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const std::string field = "nodes[" + std::to_string(i) + "].";
    const Result<Expansion> group = Expansion::of(fleet.nodes[i]);
    if (!group) {
      Error error = group.error();
      error.field = field + error.field;
      return tl::unexpected<Error>(std::move(error));
    }
    entries += group->entries();
    if (nodes.size() + group->count() > kFleetNodeLimit || entries > kFleetEntryLimit) {
      return fail(ErrorCode::kLimitExceeded,
                  "the fleet has more than " + std::to_string(kFleetNodeLimit) + " nodes or " +
                      std::to_string(kFleetEntryLimit) +
                      " cards, labels and the like; fewer are accepted",
                  field + "name");
    }
    for (std::uint64_t index = 0; index < group->count(); ++index) {
      NodeSpec node = group->at(index);
      if (!names.insert(node.name).second) {
        return invalid("the node " + shown(node.name) + " is named twice", field + "name");
      }
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

}  // namespace berth::codec

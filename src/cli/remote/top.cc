// `berth top`: the fleet as a map: a line for each node, a cell for each card, a letter for each
// tenant.
#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "cli/commands.h"
#include "cli/remote/asking.h"

namespace berth::cli {
namespace {

using codec::Document;

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr const char* kColours[] = {"32", "34", "35", "36", "33", "92", "94", "95", "96", "93"};

// Members that are lists; what is absent is empty.
const std::vector<Document>& list_of(const Document& item, const char* name) {
  static const std::vector<Document> kNone;
  const Document* list = item.find(name);
  return list == nullptr ? kNone : list->items();
}

// A letter and a colour for each queue, those that hold most first.
class Legend {
 public:
  explicit Legend(const Document& nodes) {
    for (const Document& node : nodes.items()) {
      for (const Document& card : list_of(node, "cards")) {
        for (const Document& use : list_of(card, "used_by")) {
          held_[text_of(use, "queue")] += number_of(use, "compute");
        }
      }
    }
    for (const auto& [queue, cards] : held_) order_.emplace_back(cards, queue);
    std::sort(order_.begin(), order_.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (std::size_t i = 0; i < order_.size(); ++i) number_[order_[i].second] = i;
  }

  std::string cell(const std::string& queue, Console& console) const {
    const auto found = number_.find(queue);
    if (found == number_.end()) return "?";
    const std::string letter(1, kLetters[found->second % kLetters.size()]);
    if (!console.out_has_colours()) return letter;
    return std::string("\x1b[") + kColours[found->second % std::size(kColours)] + "m" + letter +
           "\x1b[0m";
  }
  void print(Console& console) const {
    console.out() << "\n";
    for (const auto& [cards, queue] : order_) {
      console.out() << "  " << cell(queue, console) << " " << queue << ": " << amount_text(cards)
                    << " cards\n";
    }
    console.out() << "  . free   ! broken   / shared by several tenants\n";
  }

 private:
  std::map<std::string, double> held_;
  std::vector<std::pair<double, std::string>> order_;
  std::map<std::string, std::size_t> number_;
};

std::string card_cell(const Document& card, const Legend& legend, Console& console) {
  const std::string health = text_of(card, "health");
  if (health != "healthy" && health != "suspect") return "!";
  const std::vector<Document>& uses = list_of(card, "used_by");
  if (uses.empty()) return ".";
  const std::string first = text_of(uses.front(), "queue");
  const bool is_one = std::all_of(uses.begin(), uses.end(), [&](const Document& use) {
    return text_of(use, "queue") == first;
  });
  return is_one ? legend.cell(first, console) : "/";
}

void print_map(const Document& nodes, const Document& cluster, Console& console) {
  const Legend legend(nodes);
  console.out() << text_of(cluster, "nodes_ready") << " of " << text_of(cluster, "nodes")
                << " nodes ready, " << amount_text(number_of(cluster, "cards_used")) << " of "
                << text_of(cluster, "cards") << " cards given, " << text_of(cluster, "running")
                << " jobs run, " << text_of(cluster, "waiting") << " wait\n\n";
  std::size_t width = 0;
  for (const Document& node : nodes.items()) {
    width = std::max(width, text_of(node, "name").size());
  }
  for (const Document& node : nodes.items()) {
    const std::string name = text_of(node, "name");
    const std::string condition = text_of(node, "condition");
    console.out() << "  " << name << std::string(width - name.size() + 2, ' ');
    for (const Document& card : list_of(node, "cards")) {
      console.out() << card_cell(card, legend, console);
    }
    console.out() << "  " << text_of(node, "model")
                  << (condition == "ready" ? "" : "  " + condition) << "\n";
  }
  legend.print(console);
}

Status show(Client& client, Console& console) {
  const auto nodes = client.list("/v1/nodes");
  if (!nodes) return tl::unexpected(nodes.error());
  const auto cluster = client.get("/v1/cluster");
  if (!cluster) return tl::unexpected(cluster.error());
  print_map(*nodes, *cluster, console);
  return {};
}

int run(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    if (!arguments.has("--watch")) return show(client, console);
    while (true) {
      console.out() << (console.out_has_colours() ? "\x1b[H\x1b[2J" : "\n");
      if (auto s = show(client, console); !s) return s;
      console.out().flush();
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  });
}

}  // namespace

CommandSpec top_command() {
  CommandSpec spec;
  spec.name = "top";
  spec.text = "The fleet as a map: nodes, cards, and whose they are.";
  spec.options = {{"--watch", "", "Goes on, once a second; Ctrl-C ends it", {}, {}}};
  spec.options[0].letter = "-w";
  spec.run = run;
  return remote_command(std::move(spec));
}

}  // namespace berth::cli

// `berth queue`: the quota tree with bars: used of guarantee and limit, what is borrowed, the
// share.
#include <algorithm>
#include <cmath>
#include <map>

#include "cli/commands.h"
#include "cli/remote/asking.h"

namespace berth::cli {
namespace {

using codec::Document;

constexpr int kBar = 24;  // cells

struct Line {
  const Document* queue = nullptr;
  std::string indent;
};

// In the order of the list, which has each queue after its parent.
std::vector<Line> tree_lines(const Document& queues) {
  std::map<std::string, std::vector<const Document*>> children;
  for (const Document& queue : queues.items()) {
    const std::string parent = text_of(queue, "parent");
    const bool is_root =
        std::none_of(queues.items().begin(), queues.items().end(),
                     [&](const Document& other) { return text_of(other, "name") == parent; });
    children[is_root ? "" : parent].push_back(&queue);
  }
  std::vector<Line> lines;
  const auto add = [&](const auto& self, const std::string& parent,
                       const std::string& indent) -> void {
    const auto& below = children[parent];
    for (std::size_t i = 0; i < below.size(); ++i) {
      const bool is_last = i + 1 == below.size();
      const bool is_root = parent.empty();
      lines.push_back({below[i], is_root ? "" : indent + (is_last ? "└ " : "├ ")});
      self(self, text_of(*below[i], "name"), is_root ? "" : indent + (is_last ? "  " : "│ "));
    }
  };
  add(add, "", "");
  return lines;
}

double guarantee_of(const Document& queue) {
  double sum = 0;
  const Document* quotas = queue.find("quotas");
  if (quotas == nullptr) return 0;
  for (const Document& quota : quotas->items()) {
    if (text_of(quota, "model") != "cpu") sum += number_of(quota, "guarantee");
  }
  return sum;
}

// Used within the guarantee, borrowed, and what of the guarantee is idle: "█████▓▓···".
std::string bar(double used, double guarantee, double widest) {
  if (widest <= 0) return std::string(kBar, ' ');
  const auto cells = [&](double amount) {
    return static_cast<int>(std::lround(amount / widest * kBar));
  };
  const int owned = cells(std::min(used, guarantee));
  const int borrowed = cells(std::max(used, guarantee)) - cells(guarantee);
  const int idle = cells(guarantee) - owned;
  std::string text;
  for (int i = 0; i < owned; ++i) text += "█";
  if (used > guarantee) {
    for (int i = 0; i < borrowed; ++i) text += "▓";
  } else {
    for (int i = 0; i < idle; ++i) text += "·";
  }
  const int shown = owned + (used > guarantee ? borrowed : idle);
  return text + std::string(static_cast<std::size_t>(std::max(0, kBar - shown)), ' ');
}

void print_tree(const Document& queues, Console& console) {
  double widest = 0;
  for (const Document& queue : queues.items()) {
    widest = std::max({widest, number_of(queue, "used"), guarantee_of(queue)});
  }
  std::vector<Document> rows;
  for (const Line& line : tree_lines(queues)) {
    const double used = number_of(*line.queue, "used");
    const double guarantee = guarantee_of(*line.queue);
    Document row = Document::map();
    row.add("queue", Document::string(line.indent + text_of(*line.queue, "name")));
    row.add("bar", Document::string(bar(used, guarantee, widest)));
    row.add("used", Document::string(amount_text(used)));
    row.add("guarantee", Document::string(amount_text(guarantee)));
    row.add("borrowed", Document::string(amount_text(std::max(0.0, used - guarantee))));
    row.add("share", Document::string(amount_text(number_of(*line.queue, "share"))));
    row.add("running", Document::string(text_of(*line.queue, "running")));
    row.add("waiting", Document::string(text_of(*line.queue, "waiting")));
    rows.push_back(std::move(row));
  }
  const std::vector<Column> columns = {
      {"QUEUE", field("queue")},       {"USED █  BORROWED ▓  IDLE ·", field("bar")},
      {"USED", field("used")},         {"GUARANTEE", field("guarantee")},
      {"BORROWED", field("borrowed")}, {"SHARE", field("share")},
      {"RUNNING", field("running")},   {"WAITING", field("waiting")}};
  for (const std::string& line : table_lines(columns, rows, Width::kNarrow, 0)) {
    console.out() << line << "\n";
  }
}

int run(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const auto queues = client.list("/v1/queues");
    if (!queues) return tl::unexpected(queues.error());
    if (arguments.value_or("--output", "text") != "text") {
      print_document(*queues, arguments, console);
    } else if (queues->items().empty()) {
      console.note("no queues; 'berth apply FILE' declares some");
    } else {
      print_tree(*queues, console);
    }
    return {};
  });
}

}  // namespace

CommandSpec queue_command() {
  CommandSpec spec;
  spec.name = "queue";
  spec.text =
      "The quota tree with bars: what each queue has of its guarantee, borrows and may have.";
  spec.options = {text_output_option()};
  spec.run = run;
  return remote_command(std::move(spec));
}

}  // namespace berth::cli

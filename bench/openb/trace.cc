#include "bench/openb/trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

namespace berth::bench::openb {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20U;

// Far above any machine sold, and low enough that sums over a file cannot overflow.
constexpr std::int64_t kMaxCpuMilli = 1'000'000'000;
constexpr std::int64_t kMaxMemoryMib = 1'000'000'000'000;
constexpr std::int64_t kMaxGpus = 1024;
constexpr std::int64_t kMaxSeconds = 1'000'000'000'000;

constexpr std::string_view kNodeHeader = "sn,cpu_milli,memory_mib,gpu,model";
constexpr std::string_view kShortPodHeader = "name,cpu_milli,memory_mib,num_gpu,gpu_milli";
constexpr std::string_view kLongPodHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time";

// name, file, rows of the published lists.
constexpr std::array<BuiltInTrace, 17> kBuiltInTraces = {{
    {"default", "openb_pod_list_default.csv", 8152},
    {"cpu050", "openb_pod_list_cpu050.csv", 7439},
    {"cpu100", "openb_pod_list_cpu100.csv", 7853},
    {"cpu200", "openb_pod_list_cpu200.csv", 8832},
    {"cpu250", "openb_pod_list_cpu250.csv", 9420},
    {"gpushare40", "openb_pod_list_gpushare40.csv", 8152},
    {"gpushare60", "openb_pod_list_gpushare60.csv", 8152},
    {"gpushare80", "openb_pod_list_gpushare80.csv", 8152},
    {"gpushare100", "openb_pod_list_gpushare100.csv", 8152},
    {"gpuspec10", "openb_pod_list_gpuspec10.csv", 8152},
    {"gpuspec20", "openb_pod_list_gpuspec20.csv", 8152},
    {"gpuspec25", "openb_pod_list_gpuspec25.csv", 8152},
    {"gpuspec33", "openb_pod_list_gpuspec33.csv", 8152},
    {"multigpu20", "openb_pod_list_multigpu20.csv", 8324},
    {"multigpu30", "openb_pod_list_multigpu30.csv", 8508},
    {"multigpu40", "openb_pod_list_multigpu40.csv", 8746},
    {"multigpu50", "openb_pod_list_multigpu50.csv", 9061},
}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Quotes a value of a file for an error message: short, and free of control characters.
std::string quoted(std::string_view value) {
  constexpr std::size_t kShown = 60;
  std::string text = "'";
  for (const char c : value.substr(0, kShown)) {
    const bool printable = c >= ' ' && c != '\x7f';
    text += printable ? c : '?';
  }
  return text + (value.size() > kShown ? "...'" : "'");
}

// One data row. Its getters remember the first complaint, so that a parser reads like the format.
class Row {
 public:
  Row(std::string_view source, std::size_t line, std::string_view text)
      : source_(source), line_(line), cells_(split(text, ',')) {}

  std::size_t cells() const { return cells_.size(); }
  bool is_blank(std::size_t column) const { return cells_[column].empty(); }
  const std::string& error() const { return error_; }

  void complain(std::string_view what, std::string_view expected) {
    if (!error_.empty()) return;
    error_ = std::string(source_) + " line " + std::to_string(line_) + ": " + std::string(what) +
             ", expected " + std::string(expected);
  }

  std::string text(std::size_t column, std::string_view field) {
    if (is_blank(column)) complain(std::string(field) + " is empty", "a name");
    return std::string(cells_[column]);
  }

  std::int64_t integer(std::size_t column, std::string_view field, std::int64_t most) {
    const std::string_view cell = cells_[column];
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool whole = code == std::errc() && end == cell.data() + cell.size();
    if (whole && value >= 0 && value <= most) return value;
    complain(std::string(field) + " is " + quoted(cell),
             "an integer from 0 to " + std::to_string(most));
    return 0;
  }

  // A list "A|B|B" is the set {A, B}; an empty cell is the empty set.
  std::vector<std::string> name_set(std::size_t column, std::string_view field) {
    if (is_blank(column)) return {};
    std::set<std::string> names;
    for (const std::string_view name : split(cells_[column], '|')) {
      if (name.empty()) {
        complain(std::string(field) + " is " + quoted(cells_[column]),
                 "model names joined by '|', or nothing");
      }
      names.emplace(name);
    }
    return {names.begin(), names.end()};
  }

 private:
  std::string_view source_;
  std::size_t line_;
  std::vector<std::string_view> cells_;
  std::string error_;
};

Node node_of(Row& row) {
  Node node;
  node.name = row.text(0, "sn");
  node.cpu_milli = row.integer(1, "cpu_milli", kMaxCpuMilli);
  node.memory_mib = row.integer(2, "memory_mib", kMaxMemoryMib);
  node.gpus = row.integer(3, "gpu", kMaxGpus);
  node.model = node.gpus > 0 ? row.text(4, "model") : std::string();
  return node;
}

PodLife life_of(Row& row) {
  PodLife life;
  life.qos = row.text(6, "qos");
  life.phase = row.text(7, "pod_phase");
  life.creation_s = row.integer(8, "creation_time", kMaxSeconds);
  life.deletion_s = row.integer(9, "deletion_time", kMaxSeconds);
  if (!row.is_blank(10)) life.scheduled_s = row.integer(10, "scheduled_time", kMaxSeconds);
  if (life.deletion_s < life.creation_s) {
    row.complain("deletion_time " + std::to_string(life.deletion_s) + " is before creation_time",
                 "at least " + std::to_string(life.creation_s));
  }
  return life;
}

Pod pod_of(Row& row) {
  Pod pod;
  pod.name = row.text(0, "name");
  pod.shape.cpu_milli = row.integer(1, "cpu_milli", kMaxCpuMilli);
  pod.memory_mib = row.integer(2, "memory_mib", kMaxMemoryMib);
  pod.shape.num_gpu = row.integer(3, "num_gpu", kMaxGpus);
  pod.shape.gpu_milli = row.integer(4, "gpu_milli", kMilliPerGpu);
  if ((pod.shape.num_gpu == 0) != (pod.shape.gpu_milli == 0)) {
    row.complain("num_gpu is " + std::to_string(pod.shape.num_gpu) + " and gpu_milli is " +
                     std::to_string(pod.shape.gpu_milli),
                 "both 0 or neither");
  }
  if (row.cells() > 5) {
    pod.shape.gpu_models = row.name_set(5, "gpu_spec");
    pod.life = life_of(row);
  }
  return pod;
}

struct Table {
  std::string_view header;
  std::vector<std::string_view> lines;  // without the header; line i of the file is lines[i - 2]
};

Table table_of(std::string_view text) {
  Table table;
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();  // the end of the last line
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  if (lines.empty()) return table;
  table.header = lines.front();
  table.lines.assign(lines.begin() + 1, lines.end());
  return table;
}

template <class Item>
Outcome<std::vector<Item>> parse_rows(const Table& table, std::string_view source,
                                      Item (*item_of)(Row&)) {
  const std::size_t columns = split(table.header, ',').size();
  std::vector<Item> items;
  items.reserve(table.lines.size());
  std::set<std::string> names;
  for (std::size_t i = 0; i < table.lines.size(); ++i) {
    Row row(source, i + 2, table.lines[i]);
    if (row.cells() != columns) {
      row.complain(std::to_string(row.cells()) + " columns", std::to_string(columns));
      return Failure(row.error());
    }
    items.push_back(item_of(row));
    const std::string& name = items.back().name;
    if (!names.insert(name).second) {
      row.complain("the name " + quoted(name) + " stands twice", "each name once");
    }
    if (!row.error().empty()) return Failure(row.error());
  }
  if (items.empty()) {
    return Failure(std::string(source) + ": no rows, expected at least one below the header");
  }
  return items;
}

std::string bad_header(std::string_view source, std::string_view header, std::string_view known) {
  return std::string(source) + " line 1: the header is " + quoted(header) + ", expected '" +
         std::string(known) + "'";
}

Outcome<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Failure(path + ": cannot be opened, expected a readable csv file");
  std::string text;
  std::array<char, 1U << 16U> chunk{};
  while (file.read(chunk.data(), chunk.size()) || file.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxFileBytes) {
      return Failure(path + ": too large, expected at most " + std::to_string(kMaxFileBytes) +
                     " bytes");
    }
  }
  if (file.bad()) return Failure(path + ": reading failed, expected a readable csv file");
  return text;
}

template <class Item>
Outcome<std::vector<Item>> with_rows(Outcome<std::vector<Item>> items, const std::string& path,
                                     std::size_t rows) {
  if (items && items->size() != rows) {
    return Failure(path + ": " + std::to_string(items->size()) + " rows, expected " +
                   std::to_string(rows) + " as published");
  }
  return items;
}

}  // namespace

bool PodShape::accepts(std::string_view model) const {
  return gpu_models.empty() ||
         std::find(gpu_models.begin(), gpu_models.end(), model) != gpu_models.end();
}

Outcome<std::vector<Node>> parse_nodes(std::string_view text, std::string_view source) {
  const Table table = table_of(text);
  if (table.header != kNodeHeader) return Failure(bad_header(source, table.header, kNodeHeader));
  return parse_rows<Node>(table, source, node_of);
}

Outcome<std::vector<Pod>> parse_pods(std::string_view text, std::string_view source) {
  const Table table = table_of(text);
  if (table.header != kLongPodHeader && table.header != kShortPodHeader) {
    return Failure(bad_header(source, table.header, kLongPodHeader) + " or its first five columns");
  }
  return parse_rows<Pod>(table, source, pod_of);
}

Outcome<std::vector<Node>> read_nodes(const std::string& path) {
  const Outcome<std::string> text = read_text(path);
  return text ? parse_nodes(*text, path) : Failure(text.error());
}

Outcome<std::vector<Pod>> read_pods(const std::string& path) {
  const Outcome<std::string> text = read_text(path);
  return text ? parse_pods(*text, path) : Failure(text.error());
}

std::int64_t gpu_capacity_milli(std::span<const Node> nodes) {
  std::int64_t milli = 0;
  for (const Node& node : nodes) milli += node.gpus * kMilliPerGpu;
  return milli;
}

std::span<const BuiltInTrace> built_in_traces() { return kBuiltInTraces; }

Outcome<std::vector<Node>> read_built_in_nodes(const std::string& folder) {
  const std::string path = folder + "/" + std::string(kNodeListFile);
  return with_rows(read_nodes(path), path, kNodeListRows);
}

Outcome<std::vector<Pod>> read_built_in_pods(const std::string& folder, const BuiltInTrace& trace) {
  const std::string path = folder + "/" + std::string(trace.file);
  return with_rows(read_pods(path), path, trace.rows);
}

}  // namespace berth::bench::openb

#include "sim/result_reader.h"

#include <charconv>
#include <optional>
#include <utility>

#include "codec/file.h"
#include "sim/report/json.h"

namespace berth::sim {
namespace {

using codec::Document;

// Reads members by name and remembers the first complaint; after one, everything is zero.
class Reader {
 public:
  const std::optional<Error>& error() const { return error_; }

  const Document& member(const Document& map, const char* key, Document::Kind kind) {
    static const Document kNothing;
    const Document* value = map.is(Document::Kind::kMap) ? map.find(key) : nullptr;
    if (value != nullptr && value->is(kind)) return *value;
    complain(map, key, "is missing or no " + std::string(codec::kind_text(kind)).substr(2));
    return kNothing;
  }
  std::int64_t integer(const Document& map, const char* key) {
    const Document& value = member(map, key, Document::Kind::kInteger);
    return value.is(Document::Kind::kInteger) ? value.as_integer() : 0;
  }
  double number(const Document& map, const char* key) {
    const Document* value = map.is(Document::Kind::kMap) ? map.find(key) : nullptr;
    if (value != nullptr && is_number(*value)) return value->as_number();
    if (value == nullptr || !value->is_null()) complain(map, key, "is missing or no number");
    return 0;
  }
  std::string text(const Document& map, const char* key) {
    const Document& value = member(map, key, Document::Kind::kString);
    return value.is(Document::Kind::kString) ? value.as_string() : std::string();
  }
  std::uint64_t digits(const Document& map, const char* key, int base) {
    const std::string value = text(map, key);
    const std::string_view prefix = base == 16 ? "0x" : "";
    const std::size_t start = value.starts_with(prefix) ? prefix.size() : 0;
    const char* last = value.data() + value.size();
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(value.data() + start, last, number, base);
    if (code != std::errc() || end != last) {
      complain(map, key, "is '" + value + "', which is no number");
    }
    return number;
  }
  template <typename Enum>
  Enum word_of(const Document& map, const char* key) {
    const std::string value = text(map, key);
    if (const auto found = from_word<Enum>(value)) return *found;
    complain(map, key, "is '" + value + "', which is not known");
    return Enum{};
  }
  template <typename T>
  std::vector<T> list(const Document& map, const char* key, T (Reader::*read)(const Document&)) {
    const Document& value = member(map, key, Document::Kind::kList);
    std::vector<T> items;
    if (!value.is(Document::Kind::kList)) return items;
    for (const Document& item : value.items()) items.push_back((this->*read)(item));
    return items;
  }

  JobCounts counts(const Document& map) {
    const Document& jobs = member(map, "jobs", Document::Kind::kMap);
    return {integer(jobs, "submitted"), integer(jobs, "refused"), integer(jobs, "finished"),
            integer(jobs, "running"), integer(jobs, "waiting")};
  }
  WaitStats wait(const Document& map) {
    const Document& wait = member(map, "wait", Document::Kind::kMap);
    return {integer(wait, "jobs"),   number(wait, "mean_ms"), integer(wait, "p50_ms"),
            integer(wait, "p90_ms"), integer(wait, "p99_ms"), integer(wait, "max_ms")};
  }
  JobGroup group(const Document& map) {
    return {text(map, "name"), counts(map), wait(map), number(map, "gpu_hours")};
  }
  ModelUse model_use(const Document& map) {
    return {text(map, "model"), number(map, "used_gpu_hours"), number(map, "capacity_gpu_hours")};
  }
  FleetModel fleet_model(const Document& map) {
    return {text(map, "model"), integer(map, "nodes"), integer(map, "cards")};
  }
  std::string line(const Document& value) {
    if (value.is(Document::Kind::kString)) return value.as_string();
    complain(value, "", "is no text");
    return {};
  }
  WaitPoint wait_point(const Document& map) {
    return {integer(map, "wait_ms"), integer(map, "jobs")};
  }
  double plain(const Document& value) {
    if (is_number(value)) return value.as_number();
    complain(value, "", "is no number");
    return 0;
  }
  QueueShare queue_share(const Document& map) {
    return {text(map, "name"), number(map, "guarantee_cards"), number(map, "fair_cards"),
            number(map, "held_cards")};
  }
  GangSpread gang_spread(const Document& map) {
    return {text(map, "name"), integer(map, "gangs"), integer(map, "in_one"),
            number(map, "domains"), number(map, "least")};
  }
  Sample sample(const Document& map) {
    Sample sample;
    sample.at_ms = integer(map, "at_ms");
    sample.allocated_cards = list(map, "allocated_cards", &Reader::plain);
    sample.waiting_cards = number(map, "waiting_cards");
    sample.running_jobs = integer(map, "running_jobs");
    sample.pending_jobs = integer(map, "pending_jobs");
    const Document& causes = member(map, "unschedulable_cards", Document::Kind::kMap);
    for (std::size_t i = 0; i < kCauseCount; ++i) {
      const std::string cause(word(static_cast<Cause>(i)));
      sample.unschedulable_cards[i] = number(causes, cause.c_str());
    }
    sample.queue_cards = list(map, "queue_cards", &Reader::plain);
    sample.queue_fair_cards = list(map, "queue_fair_cards", &Reader::plain);
    sample.kept_cards = number(map, "kept_cards");
    sample.deferring_jobs = integer(map, "deferring_jobs");
    return sample;
  }
  template <typename Enum, std::size_t kCount>
  std::array<double, kCount> numbers(const Document& map, const char* key) {
    const Document& values = member(map, key, Document::Kind::kMap);
    std::array<double, kCount> read{};
    for (std::size_t i = 0; i < kCount; ++i) {
      read[i] = number(values, std::string(word(static_cast<Enum>(i))).c_str());
    }
    return read;
  }
  template <typename Enum, std::size_t kCount>
  std::array<std::int64_t, kCount> integers(const Document& map, const char* key) {
    const Document& values = member(map, key, Document::Kind::kMap);
    std::array<std::int64_t, kCount> read{};
    for (std::size_t i = 0; i < kCount; ++i) {
      read[i] = integer(values, std::string(word(static_cast<Enum>(i))).c_str());
    }
    return read;
  }
  WorkHours work(const Document& map) {
    const Document& work = member(map, "work", Document::Kind::kMap);
    return {numbers<Spending, kSpendingCount>(work, "spent"),
            numbers<Interruption, kInterruptionCount>(work, "recomputed")};
  }
  TeamWork team_work(const Document& map) { return {text(map, "name"), work(map)}; }
  JobWork job_work(const Document& map) {
    return {text(map, "name"), integer(map, "interruptions"), integer(map, "evictions"), work(map)};
  }
  LossStep loss(const Document& map) {
    return {integer(map, "at_ms"), work(map),
            integers<Interruption, kInterruptionCount>(map, "interruptions"),
            integers<ReclaimGrade, kGradeCount>(map, "evictions")};
  }
  VictimNote victim(const Document& map) {
    return {text(map, "job"), word_of<ReclaimGrade>(map, "grade"), number(map, "cards"),
            integer(map, "lost_ms"), number(map, "price")};
  }
  ReceiptNote receipt(const Document& map) {
    return {integer(map, "at_ms"),
            text(map, "job"),
            word_of<ReclaimRight>(map, "right"),
            word_of<ReceiptOutcome>(map, "outcome"),
            number(map, "cards"),
            number(map, "price"),
            number(map, "gain"),
            list(map, "victims", &Reader::victim)};
  }
  MapNode map_node(const Document& map) {
    return {text(map, "name"), static_cast<std::uint16_t>(integer(map, "cards"))};
  }
  OwnedCard owned(const Document& map) {
    return {text(map, "node"), static_cast<std::uint16_t>(integer(map, "card")),
            text(map, "owner")};
  }
  ConsolidationNote consolidation(const Document& map) {
    return {integer(map, "at_ms"),
            text(map, "job"),
            integer(map, "jobs"),
            number(map, "moved_cards"),
            number(map, "price"),
            number(map, "gain"),
            list(map, "nodes", &Reader::map_node),
            list(map, "before", &Reader::owned),
            list(map, "after", &Reader::owned)};
  }
  LayoutPiece piece(const Document& map) {
    return {text(map, "profile"), static_cast<std::uint32_t>(integer(map, "start")),
            static_cast<std::uint32_t>(integer(map, "slots"))};
  }
  LayoutUse layout(const Document& map) {
    return {text(map, "model"),
            static_cast<std::uint32_t>(integer(map, "slots")),
            list(map, "pieces", &Reader::piece),
            integer(map, "cards_before"),
            integer(map, "cards_after"),
            integer(map, "used_after")};
  }
  LayoutChangeNote layout_change(const Document& map) {
    return {integer(map, "at_ms"),
            integer(map, "took_ms"),
            text(map, "node"),
            static_cast<std::uint16_t>(integer(map, "card")),
            text(map, "before"),
            text(map, "after"),
            word_of<RegeometryStage>(map, "outcome"),
            text(map, "cause")};
  }
  CardUse card(const Document& map) {
    return {word_of<CardMode>(map, "mode"), word_of<CardHealth>(map, "health"),
            number(map, "allocated_share"), static_cast<std::uint32_t>(integer(map, "tasks"))};
  }
  NodeUse node(const Document& map) {
    return {text(map, "name"),
            text(map, "model"),
            word_of<NodeCondition>(map, "condition"),
            number(map, "cpu_share"),
            number(map, "memory_share"),
            list(map, "cards", &Reader::card)};
  }

 private:
  static bool is_number(const Document& value) {
    return value.is(Document::Kind::kInteger) || value.is(Document::Kind::kDecimal);
  }
  void complain(const Document& at, const char* key, const std::string& message) {
    if (error_) return;
    error_ = Error{ErrorCode::kInvalid, message, key, at.position().line};
  }

  std::optional<Error> error_;
};

FleetSummary fleet_of(const Document& map, Reader& reader) {
  const Document& fleet = reader.member(map, "fleet", Document::Kind::kMap);
  return {reader.integer(fleet, "nodes"), reader.integer(fleet, "cards"),
          reader.list(fleet, "models", &Reader::fleet_model)};
}

RunResult run_of(const Document& map, Reader& reader) {
  RunResult run;
  run.name = reader.text(map, "name");
  run.policy = reader.text(map, "policy");
  run.seed = reader.digits(map, "seed", 10);
  run.state_hash = reader.digits(map, "state_hash", 16);
  run.events_applied = reader.digits(map, "events_applied", 10);
  run.duration_ms = reader.integer(map, "duration_ms");
  run.fleet = fleet_of(map, reader);
  run.start_up_gpu_hours = reader.number(map, "start_up_gpu_hours");
  run.work = reader.work(map);
  run.interruptions = reader.integers<Interruption, kInterruptionCount>(map, "interruptions");
  run.evictions = reader.integers<ReclaimGrade, kGradeCount>(map, "evictions");
  run.layouts_changed = reader.integer(map, "layouts_changed");
  run.layouts_rolled_back = reader.integer(map, "layouts_rolled_back");
  run.layouts = reader.list(map, "layouts", &Reader::layout);
  run.layout_changes = reader.list(map, "layout_changes", &Reader::layout_change);
  run.team_work = reader.list(map, "team_work", &Reader::team_work);
  run.hit_jobs = reader.list(map, "hit_jobs", &Reader::job_work);
  run.losses = reader.list(map, "losses", &Reader::loss);
  run.receipts = reader.integer(map, "receipts");
  run.dearest_receipts = reader.list(map, "dearest_receipts", &Reader::receipt);
  run.consolidations = reader.list(map, "consolidations", &Reader::consolidation);
  run.first_refusal = reader.text(map, "first_refusal");
  run.warnings = reader.list(map, "warnings", &Reader::line);
  run.jobs = reader.counts(map);
  run.wait = reader.wait(map);
  run.wait_cdf = reader.list(map, "wait_cdf", &Reader::wait_point);
  run.classes = reader.list(map, "classes", &Reader::group);
  run.teams = reader.list(map, "teams", &Reader::group);
  run.sizes = reader.list(map, "sizes", &Reader::group);
  run.models = reader.list(map, "models", &Reader::model_use);
  run.queues = reader.list(map, "queues", &Reader::queue_share);
  run.gangs = reader.list(map, "gangs", &Reader::gang_spread);
  run.step_ms = reader.integer(map, "step_ms");
  run.samples = reader.list(map, "samples", &Reader::sample);
  run.nodes = reader.list(map, "nodes", &Reader::node);
  return run;
}

// Parts that the reports take to be of equal length.
Status check_lengths(const RunResult& run) {
  const std::size_t models = run.fleet.models.size();
  if (run.models.size() != models) return invalid("has another length than fleet.models", "models");
  for (const Sample& sample : run.samples) {
    if (sample.allocated_cards.size() != models) {
      return invalid("a sample's allocated_cards has another length than fleet.models", "samples");
    }
    if (sample.queue_cards.size() != run.queues.size() ||
        sample.queue_fair_cards.size() != run.queues.size()) {
      return invalid("a sample's queue_cards has another length than queues", "samples");
    }
  }
  return {};
}

}  // namespace

Result<RunResult> read_run_json(std::string_view text, const std::string& source) {
  const auto in_source = [&](const Error& error) {
    return fail(error.code, source + ": " + error.to_text());
  };
  const auto document = codec::read_text(text, codec::TextFormat::kJson);
  if (!document) return in_source(document.error());
  const Document* format = document->is(Document::Kind::kMap) ? document->find("format") : nullptr;
  if (format == nullptr || !format->is(Document::Kind::kString) ||
      format->as_string() != kRunFormat) {
    return invalid(source + ": is no result; what 'berth sim run --output json' writes (format " +
                   kRunFormat + ") is accepted");
  }
  Reader reader;
  RunResult run = run_of(*document, reader);
  if (reader.error()) return in_source(*reader.error());
  if (auto s = check_lengths(run); !s) return in_source(s.error());
  return run;
}

}  // namespace berth::sim

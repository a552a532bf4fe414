#include "sim/scenario/runner.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/state/invariants.h"
#include "sim/scenario/diff.h"
#include "sim/scenario/script.h"
#include "sim/scenario/verbs.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

struct ReadyStep {
  int line = 0;
  Step step;
};
using ReadyBlock = std::vector<ReadyStep>;

using Transcript = std::vector<std::vector<std::string>>;  // per block

enum class Order : std::uint8_t { kAsWritten, kReversed };
enum class AfterEach : std::uint8_t { kGoOn, kRestart };

struct Told {
  Transcript transcript;
  std::uint64_t hash = 0;
  std::string idle;  // what the idle cycles decided; empty: nothing
};

Result<std::vector<ReadyBlock>> read_steps(const Script& script) {
  std::vector<ReadyBlock> blocks;
  for (const ScriptBlock& block : script.blocks) {
    ReadyBlock ready;
    for (const ScriptCommand& command : block.commands) {
      auto step = parse_step(command.text);
      if (!step) {
        Error error = step.error();
        error.line = command.line;
        return tl::unexpected(std::move(error));
      }
      ready.push_back({command.line, std::move(*step)});
    }
    blocks.push_back(std::move(ready));
  }
  return blocks;
}

// The declarations of a run [from, to) backwards: the last first, but a queue never before its
// parent, and what is declared again never before what it adds to.
class Backwards {
 public:
  Backwards(const ReadyBlock& block, std::size_t from, std::size_t to)
      : block_(block), from_(from), to_(to), done_(block.size(), 0), earlier_(block.size()) {
    std::map<std::pair<StepKind, std::string>, std::size_t> last;
    for (std::size_t i = from; i < to; ++i) {
      for (const std::string& name : block[i].step.names) {
        const auto [at, is_new] = last.try_emplace({block[i].step.kind, name}, i);
        if (!is_new && at->second != i) earlier_[i].push_back(std::exchange(at->second, i));
      }
    }
  }

  std::vector<std::size_t> order() {
    for (std::size_t i = to_; i-- > from_;) visit(i);
    return std::move(order_);
  }

 private:
  void visit(std::size_t i) {
    if (std::exchange(done_[i], 1) != 0) return;
    for (const std::size_t e : earlier_[i]) visit(e);
    for (std::size_t p = from_; p < to_; ++p) {
      const Step& candidate = block_[p].step;
      const bool is_parent = candidate.kind == StepKind::kQueue && !candidate.names.empty() &&
                             candidate.names.front() == block_[i].step.parent;
      if (is_parent) visit(p);
    }
    order_.push_back(i);
  }

  const ReadyBlock& block_;
  std::size_t from_;
  std::size_t to_;
  std::vector<char> done_;
  std::vector<std::vector<std::size_t>> earlier_;  // declarations of the same names
  std::vector<std::size_t> order_;
};

std::vector<std::size_t> order_of(const ReadyBlock& block, Order order) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < block.size();) {
    std::size_t end = i;
    while (order == Order::kReversed && end < block.size() &&
           block[end].step.kind != StepKind::kOther) {
      ++end;
    }
    if (end == i) {
      indexes.push_back(i++);
      continue;
    }
    const std::vector<std::size_t> backwards = Backwards(block, i, end).order();
    indexes.insert(indexes.end(), backwards.begin(), backwards.end());
    i = end;
  }
  return indexes;
}

tl::unexpected<Error> broken_at(int line, const std::string& what) {
  return tl::unexpected(Error{ErrorCode::kCorrupt, what, {}, line});
}

// What must hold after every command.
Status check_state(Session& session, int line) {
  const auto broken = engine::broken_invariants(session.state());
  if (!broken.empty()) return broken_at(line, "a broken invariant: " + broken.front());
  return {};
}

// What the next cycle would commit, as bytes.
std::string next_decisions(engine::ClusterState state, TimeMs now) {
  engine::Engine engine(std::move(state));
  ByteWriter bytes;
  const EventBatch events = engine.commit(engine.plan(now), now).events;
  for (const Event& event : events) write_event(bytes, event);
  return bytes.take();
}

// A state that came back must be the same and decide the same; then the session goes on with it.
Status check_recovery(Session& session, int line) {
  const std::uint64_t hash = session.state().hash();
  auto replayed = session.replayed();
  if (!replayed) return broken_at(line, "the journal does not replay: " + replayed.error().message);
  if (replayed->hash() != hash) return broken_at(line, "the journal replays to another state");
  auto reloaded = session.reloaded();
  if (!reloaded) return broken_at(line, "the state does not load: " + reloaded.error().message);
  if (reloaded->hash() != hash) return broken_at(line, "the saved state loads as another state");
  const TimeMs now = session.now();
  if (next_decisions(std::move(*replayed), now) != next_decisions(std::move(*reloaded), now)) {
    return broken_at(line, "the loaded state decides otherwise");
  }
  if (auto s = session.restart(); !s) return broken_at(line, "no restart: " + s.error().message);
  if (session.state().hash() != hash) return broken_at(line, "a restart leads to another state");
  return {};
}

// Plan decisions by kind, for the message about a cycle that should have been idle.
std::string decisions_text(Session& session, const Plan& plan) {
  static constexpr const char* kKinds[] = {"place",       "reclaim", "reserve", "move",
                                           "regeometry",  "hold",    "defer",   "backoff",
                                           "end receipt", "resume"};
  static_assert(std::size(kKinds) == std::variant_size_v<Decision>);
  std::string text;
  for (const Decision& decision : plan.decisions) {
    if (!text.empty()) text += ", ";
    text += kKinds[decision.index()];
    JobId job;
    if (const auto* place = std::get_if<Place>(&decision)) job = place->job;
    if (const auto* hold = std::get_if<Hold>(&decision)) job = hold->job;
    const engine::JobRecord* record = job.is_none() ? nullptr : session.state().find_job(job);
    if (record != nullptr) text += " " + record->name;
  }
  return text;
}

Result<std::string> run_idle_cycles(Session& session) {
  for (int i = 1; i <= kIdleCycles; ++i) {
    const Plan plan = session.plan();
    if (!plan.decisions.empty()) {
      return "idle cycle " + std::to_string(i) + " decides " + decisions_text(session, plan) +
             "; a scenario ends when nothing is left to decide (end it with 'cycle')";
    }
    if (auto s = session.run_cycle(); !s) return tl::unexpected(s.error());
  }
  return std::string();
}

Result<Told> tell(const std::vector<ReadyBlock>& blocks, const ScenarioSetting& setting,
                  Order order, AfterEach after) {
  Session session(setting.catalog);
  Told told;
  for (const ReadyBlock& block : blocks) {
    std::vector<std::vector<std::string>> said(block.size());
    for (const std::size_t i : order_of(block, order)) {
      const int line = block[i].line;
      if (auto s = block[i].step.run(session); !s) {
        Error error = s.error();
        error.line = line;
        return tl::unexpected(std::move(error));
      }
      said[i] = session.take_transcript();
      if (auto s = check_state(session, line); !s) return tl::unexpected(s.error());
      if (after == AfterEach::kGoOn) continue;
      if (auto s = check_recovery(session, line); !s) return tl::unexpected(s.error());
    }
    std::vector<std::string> lines;
    for (const auto& part : said) lines.insert(lines.end(), part.begin(), part.end());
    // the declarations of a block are one act: what stands at its end is told
    for (std::string& line : session.take_warnings()) lines.push_back(std::move(line));
    if (lines.empty()) lines.emplace_back("ok");
    told.transcript.push_back(std::move(lines));
  }
  told.hash = session.state().hash();
  auto idle = run_idle_cycles(session);
  if (!idle) return tl::unexpected(idle.error());
  told.idle = std::move(*idle);
  return told;
}

std::string diff_of(const Script& script, const Transcript& found) {
  std::string diff;
  for (std::size_t b = 0; b < script.blocks.size(); ++b) {
    const ScriptBlock& block = script.blocks[b];
    diff += unified_diff(block.expected, found[b], block.expected_line);
  }
  return diff;
}

std::string difference(const Transcript& first, const Transcript& other, const Script& script) {
  std::string diff;
  for (std::size_t b = 0; b < first.size(); ++b) {
    diff += unified_diff(first[b], other[b], script.blocks[b].expected_line);
  }
  return diff;
}

// The runs beside the first one; empty when all agree with it.
std::string compare_runs(const std::vector<ReadyBlock>& blocks, const Script& script,
                         const ScenarioSetting& setting, const Told& first) {
  struct Run {
    const char* what;
    Order order;
    AfterEach after;
  };
  constexpr Run kRuns[] = {
      {"a second run", Order::kAsWritten, AfterEach::kGoOn},
      {"with nodes and queues declared in reverse, a run", Order::kReversed, AfterEach::kGoOn},
      {"restarted after each command, a run", Order::kAsWritten, AfterEach::kRestart}};
  for (const Run& run : kRuns) {
    const auto told = tell(blocks, setting, run.order, run.after);
    if (!told) return std::string(run.what) + " fails: " + told.error().to_text();
    const std::string diff = difference(first.transcript, told->transcript, script);
    if (!diff.empty()) return std::string(run.what) + " tells something else:\n" + diff;
    if (run.order == Order::kAsWritten && told->hash != first.hash) {
      return std::string(run.what) + " ends in another state";
    }
  }
  return {};
}

}  // namespace

Result<ScenarioOutcome> run_scenario(std::string_view text, const std::string& name,
                                     const ScenarioSetting& setting) {
  const auto named = [&name](Error error) {
    const std::string line = error.line > 0 ? ":" + std::to_string(error.line) : "";
    error.message = name + line + ": " +
                    (error.field.empty() ? error.message : error.field + ": " + error.message);
    error.field.clear();
    error.line = 0;
    return tl::unexpected(std::move(error));
  };
  const auto script = parse_script(text);
  if (!script) return named(script.error());
  const auto blocks = read_steps(*script);
  if (!blocks) return named(blocks.error());
  const auto first = tell(*blocks, setting, Order::kAsWritten, AfterEach::kGoOn);
  if (!first) return named(first.error());
  ScenarioOutcome outcome;
  for (const ReadyBlock& block : *blocks) outcome.commands += block.size();
  outcome.state_hash = first->hash;
  outcome.diff = diff_of(*script, first->transcript);
  outcome.matches = outcome.diff.empty();
  outcome.updated = with_transcripts(*script, first->transcript);
  outcome.broken = compare_runs(*blocks, *script, setting, *first);
  if (outcome.broken.empty()) outcome.broken = first->idle;
  return outcome;
}

bool refuses_update(std::string_view file_name) {
  const std::size_t slash = file_name.find_last_of('/');
  if (slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
  return file_name.starts_with("case-");
}

}  // namespace berth::sim

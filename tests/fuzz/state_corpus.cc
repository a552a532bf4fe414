// The saved states among the fuzzers' inputs: each file NAME.scn of a folder is played to its end,
// and NAME.bin of the corpus must be the state that it ends in, as it is saved today. A state of an
// older format is refused at its first byte, and fuzzing it finds nothing. With --update the corpus
// is written anew:
//
//   state_corpus data/gpus tests/fuzz/states tests/fuzz/corpus/state [--update]
//
// Beside them stand states that are damaged in ways that once broke the reader: they must be
// refused.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "codec/file.h"
#include "codec/gpu_model_codec.h"
#include "engine/state/cluster_state.h"
#include "model/serial.h"
#include "sim/scenario/script.h"
#include "sim/scenario/session.h"

namespace {

namespace fs = std::filesystem;

using berth::Result;
using berth::engine::ClusterState;

using States = std::map<std::string, std::string>;  // bytes by name

Result<std::string> played(const fs::path& path, const std::vector<berth::GpuModel>& catalog) {
  const auto text = berth::codec::read_file(path.string());
  if (!text) return tl::unexpected(text.error());
  const auto script = berth::sim::parse_script(*text);
  if (!script) return tl::unexpected(script.error());
  berth::sim::Session session(catalog);
  for (const auto& block : script->blocks) {
    for (const auto& command : block.commands) {
      if (auto s = session.run_line(command.text); !s) return tl::unexpected(s.error());
      if (auto refused = session.take_refusal()) return tl::unexpected(std::move(*refused));
    }
  }
  return session.state().save();
}

Result<States> played_states(const std::string& folder,
                             const std::vector<berth::GpuModel>& catalog) {
  States states;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".scn") continue;
    auto bytes = played(entry.path(), catalog);
    if (!bytes) {
      bytes.error().message = entry.path().string() + ": " + bytes.error().message;
      return tl::unexpected(bytes.error());
    }
    states[entry.path().stem().string()] = std::move(*bytes);
  }
  return states;
}

template <typename Value>
std::string written(const Value& value) {
  berth::ByteWriter out;
  berth::serial::write(out, value);
  return out.take();
}

// The state without anything, with another topology.
std::string with_topology(const berth::TopologySpec& topology) {
  std::string bytes = ClusterState().save();
  const std::string whole = written(berth::TopologySpec());
  return bytes.replace(bytes.find(whole), whole.size(), written(topology));
}

// Topologies without a level that the reader once looked for in vain.
States damaged_states() {
  berth::TopologySpec no_node;
  no_node.levels = {"card", "island"};
  berth::TopologySpec no_level_above;
  no_level_above.domains = {{"leaf", "l1", {}, {}}};
  return {{"topology-without-level-1", with_topology(no_node)},
          {"topology-without-level-2", with_topology(no_level_above)}};
}

int complain(const std::string& what) {
  std::fprintf(stderr, "state_corpus: %s\n", what.c_str());
  return 1;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// How many states of the corpus are not as they should be; each is named.
int check(const States& states, const fs::path& corpus) {
  int stale = 0;
  for (const auto& [name, bytes] : states) {
    if (bytes_of(corpus / (name + ".bin")) == bytes) continue;
    stale += complain(name + ".bin is not the state that is saved today; `make states` writes it");
  }
  for (const auto& entry : fs::directory_iterator(corpus)) {
    const std::string name = entry.path().stem().string();
    if (!states.contains(name)) stale += complain(name + ".bin has no scenario that it comes from");
  }
  return stale;
}

int write(const States& states, const fs::path& corpus) {
  for (const auto& [name, bytes] : states) {
    std::ofstream file(corpus / (name + ".bin"), std::ios::binary);
    file << bytes;
    if (!file.flush()) return complain((corpus / (name + ".bin")).string() + " cannot be written");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool updates = words.size() == 4 && words[3] == "--update";
  if (words.size() != 3 && !updates) {
    std::fprintf(stderr, "usage: state_corpus GPUS SCENARIOS CORPUS [--update]\n");
    return 2;
  }
  const auto catalog = berth::codec::load_gpu_catalog(words[0]);
  if (!catalog) return complain(catalog.error().to_error().message);
  auto states = played_states(words[1], *catalog);
  if (!states) return complain(states.error().message);
  for (const auto& [name, bytes] : *states) {
    if (!ClusterState::load(bytes)) return complain(name + ": what is saved is not loaded again");
  }
  for (auto& [name, bytes] : damaged_states()) {
    if (ClusterState::load(bytes)) return complain(name + ": is loaded, but must be refused");
    states->emplace(name, std::move(bytes));
  }
  return updates ? write(*states, words[2]) : std::min(check(*states, words[2]), 1);
}

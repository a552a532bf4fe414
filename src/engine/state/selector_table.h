// SelectorTable: what device selectors say of the cards of the fleet, worked out once for each
// selector and each class of cards and then only looked up. Derived from the shapes and the nodes.
//
// Cards of one class are alike for every selector: their nodes agree in the GPU model, the memory
// of its cards, and the labels that any selector reads. Labels that none reads tell nothing apart,
// so that a fleet whose nodes each have a name of their own as a label stays a few classes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/lookup_map.h"
#include "engine/state/selected_device.h"
#include "model/fleet.h"
#include "selector/selector.h"

namespace berth::engine {

using DeviceClassIndex = StrongId<struct DeviceClassTag, std::uint32_t>;
using SelectorIndex = StrongId<struct SelectorTag, std::uint32_t>;

enum class SelectorAnswer : std::uint8_t {
  kNo,
  kYes,
  kError,  // none: it asks for what the device does not have
};

class SelectorTable {
 public:
  // Numbers of the requests' selectors, each once; new ones get theirs. The same text asked of
  // another kind of device is another selector.
  std::vector<SelectorIndex> intern(const std::vector<DeviceRequest>& requests);
  // Whether selectors read labels that the classes do not tell apart yet. Then classes are to be
  // interned again for all nodes, and those that no node has any more retired.
  bool is_coarse() const { return coarse_; }
  // `used`: by class. What is retired stays so, and whoever is like it makes a new class.
  void retire_all_but(const std::vector<bool>& used);

  DeviceClassIndex intern_class(ModelIndex model, const std::shared_ptr<const GpuModel>& gpu,
                                const NodeSpec& node);
  // Asks every selector about every class that it has not been asked about. Call it after either
  // of them has become more.
  void catch_up();

  // Whether the selector is known to compile.
  bool knows(const std::string& text) const { return texts_.contains(text); }
  // The number of the request's selector, which must be interned.
  SelectorIndex find(const DeviceRequest& request) const;
  SelectorAnswer answer(SelectorIndex selector, DeviceClassIndex cards) const {
    return selectors_[selector.value()].answers[cards.value()];
  }
  // Whether all of them match cards of the class.
  bool match(const std::vector<SelectorIndex>& selectors, DeviceClassIndex cards) const;
  // Why there is no answer; null where there is one: they match, or one of them says no.
  const std::string* error(const std::vector<SelectorIndex>& selectors,
                           DeviceClassIndex cards) const;

  // What the catalogue alone says of cards of the model: they may match unless the answer is no,
  // because a node's labels may say what the catalogue does not. Any request, interned or not.
  bool may_match(const DeviceRequest& request, const GpuModel& gpu) const;

  // The class of the node's cards; none where none is like them.
  DeviceClassIndex find_class(ModelIndex model, const NodeSpec& node) const;

 private:
  struct DeviceClass {
    std::shared_ptr<const GpuModel> gpu;
    Mib card_memory_mib = 0;
    Labels labels;    // that a selector reads, by name
    std::string key;  // of interning; empty: it is retired
  };
  struct Known {
    std::shared_ptr<const selector::Selector> selector;  // null: it does not compile
    std::string refusal;                                 // why not
    DeviceRequest request;                               // of which only the kind counts
    std::vector<SelectorAnswer> answers;                 // by class
    std::map<DeviceClassIndex, std::string> errors;
  };

  static std::string key_of(const DeviceRequest& request);
  std::string key_of(ModelIndex model, const NodeSpec& node) const;
  Labels labels_read(const NodeSpec& node) const;
  SelectorIndex intern(const DeviceRequest& request);
  void read_labels(const selector::AttributeReads& reads);
  void ask(Known& known, DeviceClassIndex cards) const;

  std::vector<Known> selectors_;
  NameMap<SelectorIndex> selectors_by_key_;
  NameMap<bool> texts_;
  selector::AttributeReads reads_;  // of all selectors
  bool coarse_ = false;
  std::vector<DeviceClass> classes_;
  NameMap<DeviceClassIndex> classes_by_key_;
};

}  // namespace berth::engine

#include "engine/state/selector_table.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "model/serial.h"

namespace berth::engine {

std::string SelectorTable::key_of(const DeviceRequest& request) {
  ByteWriter out;
  serial::write(out, request.selector);
  serial::write(out, request.kind);
  if (request.kind == ShareKind::kMig) serial::write(out, request.mig_profile);
  return out.take();
}

std::vector<SelectorIndex> SelectorTable::intern(const std::vector<DeviceRequest>& requests) {
  std::vector<SelectorIndex> found;
  for (const DeviceRequest& request : requests) {
    if (!request.selector.empty()) found.push_back(intern(request));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

SelectorIndex SelectorTable::intern(const DeviceRequest& request) {
  std::string key = key_of(request);
  if (const SelectorIndex* known = selectors_by_key_.find(key)) return *known;
  const SelectorIndex index(static_cast<std::uint32_t>(selectors_.size()));
  Known known;
  known.request.kind = request.kind;
  known.request.mig_profile = request.mig_profile;
  auto compiled = selector::Selector::compile(request.selector);
  if (compiled) {
    known.selector = std::make_shared<const selector::Selector>(std::move(*compiled));
    read_labels(known.selector->reads());
    texts_.assign(request.selector, true);
  } else {
    known.refusal = compiled.error().message;  // of another version, which accepted it
  }
  selectors_.push_back(std::move(known));
  selectors_by_key_.insert(std::move(key), index);
  return index;
}

// What is read already tells classes apart already.
void SelectorTable::read_labels(const selector::AttributeReads& reads) {
  const std::size_t before = reads_.domains.size() + reads_.attributes.size();
  coarse_ = coarse_ || (reads.everything && !reads_.everything);
  reads_.everything = reads_.everything || reads.everything;
  reads_.domains.insert(reads.domains.begin(), reads.domains.end());
  reads_.attributes.insert(reads.attributes.begin(), reads.attributes.end());
  coarse_ = coarse_ || reads_.domains.size() + reads_.attributes.size() > before;
}

Labels SelectorTable::labels_read(const NodeSpec& node) const {
  Labels labels;
  for (const auto& label : node.labels) {
    const LabelName name = name_of_label(label.first);
    if (reads_.covers(name.domain, name.id)) labels.push_back(label);
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::string SelectorTable::key_of(ModelIndex model, const NodeSpec& node) const {
  ByteWriter out;
  out.id(model);
  serial::write(out, node.card_memory_mib);
  serial::write(out, labels_read(node));
  return out.take();
}

DeviceClassIndex SelectorTable::intern_class(ModelIndex model,
                                             const std::shared_ptr<const GpuModel>& gpu,
                                             const NodeSpec& node) {
  std::string key = key_of(model, node);
  if (const DeviceClassIndex* known = classes_by_key_.find(key)) return *known;
  const DeviceClassIndex index(static_cast<std::uint32_t>(classes_.size()));
  classes_.push_back({gpu, node.card_memory_mib, labels_read(node), key});
  classes_by_key_.insert(std::move(key), index);
  return index;
}

void SelectorTable::retire_all_but(const std::vector<bool>& used) {
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (classes_[c].key.empty() || (c < used.size() && used[c])) continue;
    classes_by_key_.erase(classes_[c].key);
    classes_[c].key.clear();
  }
  coarse_ = false;
}

DeviceClassIndex SelectorTable::find_class(ModelIndex model, const NodeSpec& node) const {
  const DeviceClassIndex* known = classes_by_key_.find(key_of(model, node));
  return known == nullptr ? DeviceClassIndex::none() : *known;
}

void SelectorTable::catch_up() {
  for (Known& known : selectors_) {
    while (known.answers.size() < classes_.size()) {
      const DeviceClassIndex next(static_cast<std::uint32_t>(known.answers.size()));
      known.answers.push_back(SelectorAnswer::kNo);
      ask(known, next);
    }
  }
}

// What is retired has no nodes, and no: what a coarse class would say depends on what came before.
void SelectorTable::ask(Known& known, DeviceClassIndex cards) const {
  const DeviceClass& asked = classes_[cards.value()];
  SelectorAnswer& answer = known.answers[cards.value()];
  if (asked.key.empty()) return;
  if (known.selector == nullptr) {
    answer = SelectorAnswer::kError;
    known.errors.insert_or_assign(cards, known.refusal);
    return;
  }
  const auto device = device_for(known.request, *asked.gpu, asked.card_memory_mib, asked.labels);
  if (!device) {  // that no card can make the profile is for another rule to say
    answer = SelectorAnswer::kYes;
    return;
  }
  const auto matches = known.selector->matches(*device);
  if (matches) {
    answer = *matches ? SelectorAnswer::kYes : SelectorAnswer::kNo;
    return;
  }
  answer = SelectorAnswer::kError;
  known.errors.insert_or_assign(cards, matches.error().message);
}

SelectorIndex SelectorTable::find(const DeviceRequest& request) const {
  const SelectorIndex* known = selectors_by_key_.find(key_of(request));
  BERTH_CHECK(known != nullptr);
  return *known;
}

bool SelectorTable::match(const std::vector<SelectorIndex>& selectors,
                          DeviceClassIndex cards) const {
  return std::all_of(selectors.begin(), selectors.end(), [&](SelectorIndex selector) {
    return !cards.is_none() && answer(selector, cards) == SelectorAnswer::kYes;
  });
}

const std::string* SelectorTable::error(const std::vector<SelectorIndex>& selectors,
                                        DeviceClassIndex cards) const {
  if (cards.is_none()) return nullptr;
  const std::string* first = nullptr;
  for (const SelectorIndex selector : selectors) {
    const SelectorAnswer said = answer(selector, cards);
    if (said == SelectorAnswer::kNo) return nullptr;
    if (said == SelectorAnswer::kError && first == nullptr) {
      first = &selectors_[selector.value()].errors.at(cards);
    }
  }
  return first;
}

bool SelectorTable::may_match(const DeviceRequest& request, const GpuModel& gpu) const {
  if (request.selector.empty()) return true;
  const auto device = device_for(request, gpu, 0, {});
  if (!device) return true;
  std::shared_ptr<const selector::Selector> compiled;
  if (const SelectorIndex* known = selectors_by_key_.find(key_of(request))) {
    compiled = selectors_[known->value()].selector;
  } else if (auto fresh = selector::Selector::compile(request.selector)) {
    compiled = std::make_shared<const selector::Selector>(std::move(*fresh));
  }
  if (compiled == nullptr) return true;
  const auto matches = compiled->matches(*device);
  return !matches || *matches;
}

}  // namespace berth::engine

// LookupMap: a hash map that can be asked but not walked, so that no decision depends on the order
// of a hash table. Whoever needs an order keeps a sorted container beside it.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace berth {

// Hash that lets string keys be looked up by string_view without a copy.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};

template <typename Key, typename Value, typename Hash = std::hash<Key>,
          typename Equal = std::equal_to<>>
class LookupMap {
 public:
  // Null when absent. The pointer is valid until the next change of the map.
  template <typename K>
  const Value* find(const K& key) const {
    const auto it = map_.find(key);
    return it == map_.end() ? nullptr : &it->second;
  }
  template <typename K>
  Value* find(const K& key) {
    const auto it = map_.find(key);
    return it == map_.end() ? nullptr : &it->second;
  }
  template <typename K>
  bool contains(const K& key) const {
    return map_.find(key) != map_.end();
  }

  // True when the key was absent.
  bool insert(Key key, Value value) {
    return map_.emplace(std::move(key), std::move(value)).second;
  }
  void assign(Key key, Value value) { map_.insert_or_assign(std::move(key), std::move(value)); }
  template <typename K>
  bool erase(const K& key) {
    const auto it = map_.find(key);
    if (it == map_.end()) return false;
    map_.erase(it);
    return true;
  }

  std::size_t size() const { return map_.size(); }
  bool empty() const { return map_.empty(); }
  void reserve(std::size_t count) { map_.reserve(count); }
  void clear() { map_.clear(); }

 private:
  boost::unordered_flat_map<Key, Value, Hash, Equal> map_;
};

template <typename Value>
using NameMap = LookupMap<std::string, Value, StringHash, std::equal_to<>>;

}  // namespace berth

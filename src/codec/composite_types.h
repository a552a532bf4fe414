// The kinds of values made of others: optional, list, map, described object. See value_types.h for
// what a kind is.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/value_types.h"

namespace berth::codec {

template <typename T>
class ObjectSchema;
// Specialised for each described object: `static const ObjectSchema<T>& schema();`
template <typename T>
struct Describe;

// A value that may be absent. Absent is written as the word, or left out when there is none.
template <typename Inner>
class Optional {
 public:
  Optional(Inner inner, std::string word) : inner_(std::move(inner)), word_(std::move(word)) {}

  template <typename M>
  std::optional<M> read(const Document& value, ReadContext& context) const {
    if (value.is_null() ||
        (!word_.empty() && value.is(Document::Kind::kString) && value.as_string() == word_)) {
      return std::optional<M>(std::in_place);
    }
    const std::size_t count_before = context.count();
    auto inner = inner_.template read<typename M::value_type>(value, context);
    if (!inner) {
      if (!word_.empty()) context.complete_latest(count_before, ", or " + word_);
      return std::nullopt;
    }
    return std::optional<M>(std::in_place, std::move(*inner));
  }
  template <typename M>
  Document write(const M& value, WriteStyle style) const {
    if (value) return inner_.template write<typename M::value_type>(*value, style);
    return word_.empty() ? Document() : Document::string(word_);
  }
  template <typename M>
  TypeInfo info() const {
    TypeInfo info = inner_.template info<typename M::value_type>();
    Document absent = Document::map();
    if (word_.empty()) {
      absent.add("type", Document::string("null"));
    } else {
      info.accepted += (info.accepted.empty() ? "" : ", or ") + word_;
      absent.add("const", Document::string(word_));
    }
    Document choices = Document::list();
    choices.append(std::exchange(info.json_schema, Document::map()));
    choices.append(std::move(absent));
    info.json_schema.add("anyOf", std::move(choices));
    return info;
  }

 private:
  Inner inner_;
  std::string word_;
};

namespace detail {
// The non-template parts of the collections.
bool expect_kind(const Document& value, Document::Kind kind, ReadContext& context);
bool expect_count(const Document& value, std::size_t count, std::size_t low, std::size_t high,
                  ReadContext& context);
TypeInfo list_info(TypeInfo item, std::size_t low, std::size_t high);
TypeInfo map_info(TypeInfo value, std::size_t high);
}  // namespace detail

// std::vector<X>.
template <typename Item>
class ListOf {
 public:
  explicit ListOf(Item item) : item_(std::move(item)) {}
  ListOf sized(std::size_t low, std::size_t high) const {
    ListOf copy = *this;
    copy.low_ = low;
    copy.high_ = high;
    return copy;
  }

  template <typename M>
  std::optional<M> read(const Document& value, ReadContext& context) const {
    if (!detail::expect_kind(value, Document::Kind::kList, context)) return std::nullopt;
    const std::vector<Document>& items = value.items();
    if (!detail::expect_count(value, items.size(), low_, high_, context)) return std::nullopt;
    M result;
    result.reserve(items.size());
    for (std::size_t i = 0; i < items.size() && !context.is_full(); ++i) {
      const ReadContext::Scope scope(context, i);
      auto item = item_.template read<typename M::value_type>(items[i], context);
      if (item) result.push_back(std::move(*item));
    }
    return result.size() == items.size() ? std::optional<M>(std::move(result)) : std::nullopt;
  }
  template <typename M>
  Document write(const M& value, WriteStyle style) const {
    Document list = Document::list();
    for (const auto& item : value) {
      list.append(item_.template write<typename M::value_type>(item, style));
    }
    return list;
  }
  template <typename M>
  TypeInfo info() const {
    return detail::list_info(item_.template info<typename M::value_type>(), low_, high_);
  }

 private:
  Item item_;
  std::size_t low_ = 0;
  std::size_t high_ = 100'000;
};

// A map of names to values, kept as a vector of entries sorted by name. `Entry` says how an entry
// is made of its two parts.
template <typename Key, typename Value, typename KeyOf, typename ValueOf>
class MapOf {
 public:
  MapOf(Key key, Value value, KeyOf key_of, ValueOf value_of)
      : key_(std::move(key)), value_(std::move(value)), key_of_(key_of), value_of_(value_of) {}
  MapOf at_most(std::size_t high) const {
    MapOf copy = *this;
    copy.high_ = high;
    return copy;
  }

  template <typename M>
  std::optional<M> read(const Document& map, ReadContext& context) const {
    using Entry = typename M::value_type;
    if (!detail::expect_kind(map, Document::Kind::kMap, context)) return std::nullopt;
    const std::vector<Member>& members = map.members();
    if (!detail::expect_count(map, members.size(), 0, high_, context)) return std::nullopt;
    M result;
    for (const Member& member : members) {
      if (context.is_full()) break;
      const ReadContext::Scope scope(context, member.key);
      const Document key = Document::string(member.key).at(member.position);
      auto name = key_.template read<std::string>(key, context);
      auto value = value_.template read<ValueType<Entry>>(member.value, context);
      if (!name || !value) continue;
      Entry entry;
      entry.*key_of_ = std::move(*name);
      entry.*value_of_ = std::move(*value);
      result.push_back(std::move(entry));
    }
    if (result.size() != members.size()) return std::nullopt;
    std::sort(result.begin(), result.end(),
              [this](const Entry& a, const Entry& b) { return a.*key_of_ < b.*key_of_; });
    return result;
  }
  template <typename M>
  Document write(const M& entries, WriteStyle style) const {
    Document map = Document::map();
    for (const auto& entry : entries) {
      map.add(entry.*key_of_,
              value_.template write<ValueType<typename M::value_type>>(entry.*value_of_, style));
    }
    return map;
  }
  template <typename M>
  TypeInfo info() const {
    return detail::map_info(value_.template info<ValueType<typename M::value_type>>(), high_);
  }

 private:
  template <typename Entry>
  using ValueType = std::remove_cvref_t<decltype(std::declval<Entry>().*std::declval<ValueOf>())>;

  Key key_;
  Value value_;
  KeyOf key_of_;
  ValueOf value_of_;
  std::size_t high_ = 10'000;
};

// A described object: Describe<M> says how.
class Object {
 public:
  template <typename M>
  std::optional<M> read(const Document& value, ReadContext& context) const {
    return Describe<M>::schema().read(value, context);
  }
  template <typename M>
  Document write(const M& value, WriteStyle style) const {
    return Describe<M>::schema().write(value, style);
  }
  template <typename M>
  TypeInfo info() const {
    return Describe<M>::reference();
  }
};

template <typename Inner>
Optional<Inner> optional(Inner inner) {
  return {std::move(inner), ""};
}
// Absence must be said with the word "unknown": for data that someone has to look up.
template <typename Inner>
Optional<Inner> or_unknown(Inner inner) {
  return {std::move(inner), "unknown"};
}
template <typename Item>
ListOf<Item> list_of(Item item) {
  return ListOf<Item>(std::move(item));
}
// std::vector<std::pair<std::string, X>>.
template <typename X, typename Key, typename Value>
auto map_of(Key key, Value value) {
  using Entry = std::pair<std::string, X>;
  return MapOf(std::move(key), std::move(value), &Entry::first, &Entry::second);
}
// std::vector<Entry> with a name and a value, such as Countable.
template <typename KeyOf, typename ValueOf, typename Key, typename Value>
auto map_by(KeyOf key_of, ValueOf value_of, Key key, Value value) {
  return MapOf(std::move(key), std::move(value), key_of, value_of);
}
inline Object object() { return {}; }

}  // namespace berth::codec

// Canonical bytes of model values, from each struct's one `fields` declaration. Equal values give
// equal bytes. Reading refuses enum values out of range and counts beyond the input; the caller
// asks the reader once at the end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "model/lease.h"
#include "model/words.h"

namespace berth {

namespace serial {

// Collects the references that T::fields passes, in order.
template <typename T>
concept HasFields = requires(T& value) { T::fields(value, [](auto&...) {}); };

// Types that have got fields since the oldest format: T::fields_in(format) is how many there were,
// from the first on. Those that are missing keep their defaults.
template <typename T>
concept HasGrown = requires { T::fields_in(std::uint64_t{}); };

template <typename T>
void write(ByteWriter& out, const T& value);
template <typename T>
void read(ByteReader& in, T& value);

template <typename T>
struct Codec {
  static void write(ByteWriter& out, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out.u8(value ? 1 : 0);
    } else if constexpr (std::is_enum_v<T>) {
      out.u8(static_cast<std::uint8_t>(value));
    } else if constexpr (std::is_unsigned_v<T>) {
      out.varint(value);
    } else if constexpr (std::is_signed_v<T>) {
      out.svarint(value);
    } else {
      static_assert(HasFields<T>, "declare fields() for this type");
      T::fields(value, [&out](const auto&... field) { (serial::write(out, field), ...); });
    }
  }
  static void read(ByteReader& in, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      const std::uint8_t raw = in.u8();
      if (raw > 1) in.reject();
      value = raw == 1;
    } else if constexpr (std::is_enum_v<T>) {
      const std::uint8_t raw = in.u8();
      if (raw >= EnumWords<T>::kWords.size()) return in.reject();
      value = static_cast<T>(raw);
    } else if constexpr (std::is_unsigned_v<T>) {
      const std::uint64_t raw = in.varint();
      if (raw > std::numeric_limits<T>::max()) return in.reject();
      value = static_cast<T>(raw);
    } else if constexpr (std::is_signed_v<T>) {
      const std::int64_t raw = in.svarint();
      if (raw < std::numeric_limits<T>::min() || raw > std::numeric_limits<T>::max()) {
        return in.reject();
      }
      value = static_cast<T>(raw);
    } else if constexpr (HasGrown<T>) {
      std::size_t left = T::fields_in(in.format());
      const auto read_one = [&in, &left](auto& field) {
        if (left == 0) return;
        --left;
        serial::read(in, field);
      };
      T::fields(value, [&read_one](auto&... field) { (read_one(field), ...); });
    } else {
      T::fields(value, [&in](auto&... field) { (serial::read(in, field), ...); });
    }
  }
};

template <>
struct Codec<std::string> {
  static void write(ByteWriter& out, const std::string& value) { out.text(value); }
  static void read(ByteReader& in, std::string& value) { value = in.text(); }
};

template <typename Tag, typename Rep>
struct Codec<StrongId<Tag, Rep>> {
  static void write(ByteWriter& out, StrongId<Tag, Rep> value) { out.id(value); }
  static void read(ByteReader& in, StrongId<Tag, Rep>& value) {
    value = in.id<StrongId<Tag, Rep>>();
  }
};

template <typename T>
struct Codec<std::optional<T>> {
  static void write(ByteWriter& out, const std::optional<T>& value) {
    out.u8(value.has_value() ? 1 : 0);
    if (value) serial::write(out, *value);
  }
  static void read(ByteReader& in, std::optional<T>& value) {
    const std::uint8_t raw = in.u8();
    if (raw > 1) in.reject();
    value.reset();
    if (raw == 1) serial::read(in, value.emplace());
  }
};

template <typename A, typename B>
struct Codec<std::pair<A, B>> {
  static void write(ByteWriter& out, const std::pair<A, B>& value) {
    serial::write(out, value.first);
    serial::write(out, value.second);
  }
  static void read(ByteReader& in, std::pair<A, B>& value) {
    serial::read(in, value.first);
    serial::read(in, value.second);
  }
};

template <typename List>
struct ListCodec {
  static void write(ByteWriter& out, const List& value) {
    out.varint(value.size());
    for (const auto& item : value) serial::write(out, item);
  }
  static void read(ByteReader& in, List& value) {
    const std::size_t count = in.count();
    value.clear();
    for (std::size_t i = 0; i < count && in.ok(); ++i) serial::read(in, value.emplace_back());
  }
};
template <typename T>
struct Codec<std::vector<T>> : ListCodec<std::vector<T>> {};
// In the order of its keys; bytes in another order are refused.
template <typename Key, typename Value>
struct Codec<std::map<Key, Value>> {
  static void write(ByteWriter& out, const std::map<Key, Value>& value) {
    out.varint(value.size());
    for (const auto& [key, item] : value) {
      serial::write(out, key);
      serial::write(out, item);
    }
  }
  static void read(ByteReader& in, std::map<Key, Value>& value) {
    const std::size_t count = in.count();
    value.clear();
    for (std::size_t i = 0; i < count && in.ok(); ++i) {
      Key key{};
      Value item{};
      serial::read(in, key);
      serial::read(in, item);
      if (!value.empty() && !(value.rbegin()->first < key)) return in.reject();
      value.emplace_hint(value.end(), std::move(key), std::move(item));
    }
  }
};
template <>
struct Codec<CardGrants> : ListCodec<CardGrants> {};

// Shared immutable values are written by value; null is not a value.
template <typename T>
struct Codec<std::shared_ptr<const T>> {
  static void write(ByteWriter& out, const std::shared_ptr<const T>& value) {
    serial::write(out, *value);
  }
  static void read(ByteReader& in, std::shared_ptr<const T>& value) {
    auto fresh = std::make_shared<T>();
    serial::read(in, *fresh);
    value = std::move(fresh);
  }
};

template <typename T>
void write(ByteWriter& out, const T& value) {
  Codec<T>::write(out, value);
}
template <typename T>
void read(ByteReader& in, T& value) {
  Codec<T>::read(in, value);
}

template <typename T>
std::string to_bytes(const T& value) {
  ByteWriter out;
  write(out, value);
  return out.take();
}

// The whole of `bytes` as one T.
template <typename T>
Result<T> from_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  T value{};
  read(in, value);
  if (auto s = in.finish(); !s) return tl::unexpected(s.error());
  return value;
}

}  // namespace serial
}  // namespace berth

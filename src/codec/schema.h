// ObjectSchema<T>: the one declaration of an object's fields, from which reading, errors, writing,
// JSON Schema and reference documentation come. It must stay the only place that names the fields
// of T for users.
//
//   template <>
//   struct Describe<QueueSpec> : Described<QueueSpec> {
//     static const ObjectSchema<QueueSpec>& schema();  // in the .cc file:
//   };
//   const ObjectSchema<QueueSpec>& Describe<QueueSpec>::schema() {
//     static const ObjectSchema<QueueSpec> kSchema = [] {
//       ObjectSchema<QueueSpec> s("queue", "A node of the quota tree.");
//       s.field("name", &QueueSpec::name, codec::name()).required().text("Its name.");
//       s.field("weight", &QueueSpec::weight, integer(1, 1'000'000)).text("Share of idle ...");
//       s.rule([](const QueueSpec& queue) { return validate(queue); });
//       return s;
//     }();
//     return kSchema;
//   }
//
// A field's default is its value in a default-constructed T.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/composite_types.h"
#include "codec/errors.h"
#include "codec/read_context.h"
#include "codec/schema_info.h"
#include "codec/value_types.h"

namespace berth::codec {

namespace detail {
// Reports keys that the schema lacks and required fields that the map lacks.
void check_keys(const SchemaInfo& schema, const Document& map, ReadContext& context);
void report_rule(const SchemaInfo& schema, const Document& map, const Error& error,
                 ReadContext& context);
TypeInfo object_reference(const SchemaInfo& schema, const SchemaInfo& (*object)());
}  // namespace detail

// Base of every Describe<T>.
template <typename T>
struct Described {
  static const SchemaInfo& info() { return Describe<T>::schema().info(); }
  static TypeInfo reference() { return Describe<T>::schema().reference(); }
};

template <typename T>
class ObjectSchema {
 public:
  using Rule = std::function<Status(const T&)>;

  // What may be said of a field after its kind; see FieldInfo.
  class FieldSetter {
   public:
    explicit FieldSetter(FieldInfo& info) : info_(info) {}
    FieldSetter& text(std::string text) {
      info_.text = std::move(text);
      return *this;
    }
    FieldSetter& required() {
      info_.is_required = true;
      return *this;
    }
    // Read and kept, but nothing acts on it so far; call after text().
    FieldSetter& not_used_yet() {
      info_.text += " Not used yet.";
      return *this;
    }
    // The name that rules use in their error paths, when users know another.
    FieldSetter& member(std::string name) {
      info_.member = std::move(name);
      return *this;
    }
    // What the default means, for documentation.
    FieldSetter& when_absent(std::string text) {
      info_.fallback_text = std::move(text);
      return *this;
    }

   private:
    FieldInfo& info_;
  };

  ObjectSchema(std::string name, std::string text) {
    info_.name = std::move(name);
    info_.text = std::move(text);
  }

  // The setter is valid until the next field is declared. The member may be one of a base of T.
  template <typename M, typename Base, typename Type>
    requires std::derived_from<T, Base>
  FieldSetter field(std::string name, M Base::*member, Type type) {
    fields_.push_back(std::make_shared<FieldOf<M, Type>>(member, std::move(type)));
    FieldInfo info;
    info.member = name;
    info.name = std::move(name);
    info.type = fields_.back()->type();
    info.fallback = fields_.back()->write(T{}, WriteStyle::kFull);
    info_.fields.push_back(std::move(info));
    return FieldSetter(info_.fields.back());
  }

  // Runs on an object without other errors; its error's field path is relative to the object.
  void rule(Rule rule) { rules_.push_back(std::move(rule)); }

  const SchemaInfo& info() const { return info_; }
  TypeInfo reference() const {
    return detail::object_reference(
        info_, +[]() -> const SchemaInfo& { return Describe<T>::schema().info(); });
  }

  std::optional<T> read(const Document& value, ReadContext& context) const {
    const std::size_t errors_before = context.count();
    if (!detail::expect_kind(value, Document::Kind::kMap, context)) return std::nullopt;
    detail::check_keys(info_, value, context);
    T object{};
    for (const Member& member : value.members()) read_member(member, object, context);
    if (context.count() != errors_before || context.is_full()) return std::nullopt;
    for (const Rule& rule : rules_) {
      if (const Status status = rule(object); !status) {
        detail::report_rule(info_, value, status.error(), context);
        return std::nullopt;
      }
    }
    return object;
  }

  Document write(const T& object, WriteStyle style) const {
    Document map = Document::map();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      Document value = fields_[i]->write(object, style);
      const bool is_default = !info_.fields[i].is_required && fields_[i]->is_default(object);
      if (is_default && (style == WriteStyle::kWithoutDefaults || value.is_null())) continue;
      map.add(info_.fields[i].name, std::move(value));
    }
    return map;
  }

 private:
  class Field {
   public:
    virtual ~Field() = default;
    virtual void read(const Document& value, T& object, ReadContext& context) const = 0;
    virtual Document write(const T& object, WriteStyle style) const = 0;
    virtual bool is_default(const T& object) const = 0;
    virtual TypeInfo type() const = 0;
  };

  template <typename M, typename Type>
  class FieldOf final : public Field {
   public:
    FieldOf(M T::*member, Type type)
        : member_(member), type_(std::move(type)), fallback_(T{}.*member) {}
    void read(const Document& value, T& object, ReadContext& context) const override {
      std::optional<M> read = type_.template read<M>(value, context);
      if (read) object.*member_ = std::move(*read);
    }
    Document write(const T& object, WriteStyle style) const override {
      return type_.template write<M>(object.*member_, style);
    }
    bool is_default(const T& object) const override { return object.*member_ == fallback_; }
    TypeInfo type() const override { return type_.template info<M>(); }

   private:
    M T::*member_;
    Type type_;
    M fallback_;
  };

  void read_member(const Member& member, T& object, ReadContext& context) const {
    if (context.is_full()) return;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (info_.fields[i].name != member.key) continue;
      const ReadContext::Scope scope(context, info_.fields[i].name);
      fields_[i]->read(member.value, object, context);
      return;
    }
  }

  SchemaInfo info_;
  std::vector<std::shared_ptr<const Field>> fields_;
  std::vector<Rule> rules_;
};

// A whole object, or everything that is wrong with it. `source` names the text in messages.
template <typename T>
Parsed<T> from_document(const Document& document, std::string source) {
  ReadContext context;
  std::optional<T> object = Describe<T>::schema().read(document, context);
  if (object && context.count() == 0) return std::move(*object);
  return tl::unexpected<Errors>(context.take(std::move(source)));
}

template <typename T>
Document to_document(const T& object, WriteStyle style = WriteStyle::kWithoutDefaults) {
  return Describe<T>::schema().write(object, style);
}

}  // namespace berth::codec

// size(), and the functions of lists that no macro is.
#include "selector/containers.h"
#include "selector/functions.h"
#include "selector/utf8.h"

namespace berth::selector {
namespace {

Result<Value> length(const Call& call) {
  return static_cast<std::int64_t>(length_of(call.arguments[0]));
}
Result<Value> length_of_text(const Call& call) {
  return static_cast<std::int64_t>(count_code_points(call.text(0)));
}

// "a-b-c" of ['a', 'b', 'c'].
Result<Value> join(const Call& call) {
  const std::string_view separator = call.arguments.size() > 1 ? call.text(1) : "";
  const auto& items = call.get<const List*>(0)->items;
  std::string joined;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto* item = items[i].as<std::string_view>();
    if (item == nullptr) {
      return invalid("element " + std::to_string(i) + " is of type " +
                     std::string(name_of(items[i].kind())) + "; strings are accepted");
    }
    if (auto paid = call.scratch.spend_bytes(separator.size() + item->size() + kBytesPerStep);
        !paid) {
      return tl::unexpected(paid.error());
    }
    if (i > 0) joined += separator;
    joined += *item;
  }
  return call.scratch.keep(std::move(joined));
}

constexpr Overload size(Form form, Kind kind, Function run, Price price = Price::kNothing) {
  return {"size", form, {kind}, 1, Kind::kInt, price, run};
}

}  // namespace

std::span<const Overload> list_functions() {
  static constexpr Overload kRows[] = {
      size(Form::kGlobal, Kind::kString, length_of_text, Price::kReads),
      size(Form::kGlobal, Kind::kBytes, length),
      size(Form::kGlobal, Kind::kList, length),
      size(Form::kGlobal, Kind::kMap, length),
      size(Form::kMember, Kind::kString, length_of_text, Price::kReads),
      size(Form::kMember, Kind::kBytes, length),
      size(Form::kMember, Kind::kList, length),
      size(Form::kMember, Kind::kMap, length),
      {"join", Form::kMember, {Kind::kList}, 1, Kind::kString, Price::kItself, join},
      {"join", Form::kMember, {Kind::kList, Kind::kString}, 2, Kind::kString, Price::kItself, join},
  };
  return kRows;
}

}  // namespace berth::selector

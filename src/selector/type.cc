#include "selector/type.h"

namespace berth::selector {

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::kDyn:
      return "dyn";
    case Kind::kNull:
      return "null_type";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kUint:
      return "uint";
    case Kind::kDouble:
      return "double";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "bytes";
    case Kind::kList:
      return "list";
    case Kind::kMap:
      return "map";
    case Kind::kOptional:
      return "optional_type";
    case Kind::kQuantity:
      return "quantity";
    case Kind::kSemver:
      return "semver";
    case Kind::kType:
      return "type";
    case Kind::kDevice:
      return "device";
    case Kind::kNumber:
      return "number";
  }
  return "dyn";
}

std::string Type::to_text() const {
  std::string text(name_of(kind()));
  const bool has_element =
      kind() == Kind::kList || kind() == Kind::kMap || kind() == Kind::kOptional;
  const Type inner = element();
  if (!has_element || inner.kind() == Kind::kDyn) return text;
  return text + "(" + inner.to_text() + ")";
}

}  // namespace berth::selector

#include "selector/device.h"

#include <utility>

namespace berth::selector {
namespace {

struct QualifiedName {
  std::string domain;
  std::string id;
};

QualifiedName qualified(std::string_view name, const std::string& driver) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {driver, std::string(name)};
  return {std::string(name.substr(0, slash)), std::string(name.substr(slash + 1))};
}

}  // namespace

void Device::set_attribute(std::string_view name, Attribute value) {
  QualifiedName key = qualified(name, driver);
  attributes[std::move(key.domain)].insert_or_assign(std::move(key.id), std::move(value));
}

void Device::set_capacity(std::string_view name, Quantity value) {
  QualifiedName key = qualified(name, driver);
  capacity[std::move(key.domain)].insert_or_assign(std::move(key.id), value);
}

}  // namespace berth::selector

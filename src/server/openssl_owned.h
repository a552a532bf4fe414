// Owned: what OpenSSL has made, freed by its own function.
#pragma once

#include <memory>

namespace berth::server {

template <auto Free>
struct OpensslFree {
  template <typename T>
  void operator()(T* owned) const {
    Free(owned);
  }
};
template <typename T, auto Free>
using Owned = std::unique_ptr<T, OpensslFree<Free>>;

}  // namespace berth::server

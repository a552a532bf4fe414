// The OpenAPI 3.1 document, made from the same declarations as validation and dispatch.
#pragma once

#include <string>
#include <vector>

#include "codec/document.h"
#include "server/operation.h"

namespace berth::server {

codec::Document openapi_document(const std::vector<Operation>& operations,
                                 const std::string& version);

}  // namespace berth::server

// What `berth what-if` says.
#pragma once

#include "server/asked_place.h"
#include "sim/scenario/what_if.h"

namespace berth::server {

Told told(const sim::WhatIf& answer);

}  // namespace berth::server

// What `berth what-if` says.
#pragma once

#include "cli/console.h"
#include "cli/why_answer.h"
#include "sim/scenario/what_if.h"

namespace berth::cli {

void print_what_if(const sim::WhatIf& answer, AnswerFormat format, Console& console);

}  // namespace berth::cli

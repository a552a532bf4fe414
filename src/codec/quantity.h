// Quantities as people write them <-> exact integers of the engine. Nothing is rounded: a text that
// is not a whole number of the base unit is refused. Writing gives the shortest exact text, and
// reading it gives the same number. The message of a parser's error says what is accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "codec/document.h"

namespace berth::codec {

// "90s", "5m", "2h", "3d", "250ms", "1.5h", "1h30m"; 0 needs no unit.
Result<DurationMs> parse_duration(const Document& value);
Document duration_document(DurationMs duration);

// "80GiB", "512MiB", "1.5TiB", "64Gi"; a plain whole number is MiB.
Result<Mib> parse_memory(const Document& value);
Document memory_document(Mib memory);

// "25%", 0.25, "1/4" or 2, as multiples of 1 / scale: kCard for shares of cards, 1,000 for per
// mille, 1,000,000 for parts per million.
Result<std::int64_t> parse_ratio(const Document& value, std::int64_t scale);
Document ratio_document(std::int64_t value, std::int64_t scale);

// A decimal amount in steps of 1 / scale: money (1,000,000), CPUs (1,000, with the suffix "m" for
// thousandths: "500m").
Result<std::int64_t> parse_amount(const Document& value, std::int64_t scale);
Result<CpuMilli> parse_cpu(const Document& value);
Document amount_document(std::int64_t value, std::int64_t scale);

// The shortest text that gives the same double again.
Document number_document(double value);

}  // namespace berth::codec

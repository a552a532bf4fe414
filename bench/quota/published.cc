#include "bench/quota/published.h"

namespace berth::bench::quota {
namespace {

constexpr PublishedAdmission kBaseline[] = {
    {"large", 16.501}, {"medium", 76.768}, {"small", 215.467}};
constexpr PublishedAdmission kLargeScale[] = {
    {"large", 105.604}, {"medium", 256.413}, {"small", 700.379}};
constexpr PublishedAdmission kTas[] = {
    {"large-balanced-rack", 37.862},    {"large-preferred-rack", 39.573},
    {"large-required-rack", 39.625},    {"medium-balanced-rack", 106.303},
    {"medium-preferred-rack", 106.324}, {"medium-required-rack", 107.071},
    {"small-balanced-rack", 237.846},   {"small-preferred-rack", 246.090},
    {"small-required-rack", 246.755}};

constexpr Published kPublished[] = {{"baseline", 5, 351.1164, 55.9, kBaseline},
                                    {"large-scale", 19, 1179.411, 38.64, kLargeScale},
                                    {"tas", 10, 401.472, 62.41, kTas}};

}  // namespace

const Published* published(std::string_view case_name) {
  for (const Published& figures : kPublished) {
    if (figures.case_name == case_name) return &figures;
  }
  return nullptr;
}

}  // namespace berth::bench::quota

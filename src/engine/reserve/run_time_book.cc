#include "engine/reserve/run_time_book.h"

#include <algorithm>

namespace berth::engine {
namespace {

constexpr std::uint32_t kPerOctave = 32;
constexpr std::uint64_t kUnit = 1024;  // weight of one duration
constexpr std::uint64_t kPrior = 2 * kUnit;
constexpr std::uint32_t kOne = 65'536;
// Windows of RunMean, in jobs. That of a kind is so long that its mean is a plain one: with one of
// a hundred jobs, a few long ones put all that wait of their kind behind everybody (bench/tenants).
constexpr std::uint32_t kKindWindow = 1 << 20;
constexpr std::uint32_t kAllWindow = 1024;               // of all kinds together
constexpr DurationMs kLongestRun = DurationMs{1} << 40;  // that counts: 35 years

// Values below 32 have a bin each; above, the five bits behind the highest one choose it.
std::uint32_t bin_of(DurationMs duration) {
  const auto value = static_cast<std::uint64_t>(std::max<DurationMs>(0, duration));
  if (value < kPerOctave) return static_cast<std::uint32_t>(value);
  const int high = 63 - __builtin_clzll(value);
  const auto octave = static_cast<std::uint32_t>(high - 4);
  const auto inside = static_cast<std::uint32_t>((value >> (high - 5)) & (kPerOctave - 1));
  return std::min(octave * kPerOctave + inside, DurationHistogram::kBins - 1);
}

DurationMs begin_of_bin(std::uint32_t bin) {
  if (bin < kPerOctave) return bin;
  const std::uint32_t octave = bin / kPerOctave;
  const std::uint64_t inside = bin % kPerOctave;
  return static_cast<DurationMs>((kPerOctave + inside) << (octave - 1));
}

}  // namespace

void DurationHistogram::add(DurationMs duration, std::uint32_t times) {
  if (bins_.empty()) {
    bins_.assign(kBins, 0);
    sums_.assign(kBins + 1, 0);
  }
  const std::uint32_t bin = bin_of(duration);
  bins_[bin] += times;
  count_ += times;
  for (std::uint32_t i = bin + 1; i <= kBins; i += i & (~i + 1)) sums_[i] += times;
}

std::uint64_t DurationHistogram::above(std::uint32_t bin) const {
  if (bins_.empty()) return 0;
  std::uint64_t up_to = 0;
  for (std::uint32_t i = bin + 1; i > 0; i -= i & (~i + 1)) up_to += sums_[i];
  return count_ - up_to;
}

std::uint64_t DurationHistogram::weight_above(DurationMs duration) const {
  const std::uint32_t bin = bin_of(duration);
  const DurationMs begin = begin_of_bin(bin);
  const DurationMs end = begin_of_bin(bin + 1);
  const auto left =
      static_cast<std::uint64_t>(std::clamp<DurationMs>(end - duration, 0, end - begin));
  const auto width = static_cast<std::uint64_t>(end - begin);
  const std::uint64_t in_bin = bins_.empty() ? 0 : bins_[bin];
  const std::uint64_t counted = above(bin) * kUnit + in_bin * kUnit * left / width;
  const std::uint64_t prior = kPrior * (kBins - 1 - bin) / kBins + kPrior * left / width / kBins;
  return counted + prior;
}

std::uint32_t DurationHistogram::survival(DurationMs age, DurationMs more) const {
  const std::uint64_t now = std::max<std::uint64_t>(1, weight_above(age));
  const std::uint64_t then = weight_above(saturating_add(age, std::max<DurationMs>(0, more)));
  return static_cast<std::uint32_t>(then * kOne / now);
}

DurationMs DurationHistogram::remaining(DurationMs age, std::uint32_t part) const {
  DurationMs low = 1;  // the answer lies in [low, high]
  DurationMs high = std::max<DurationMs>(1, begin_of_bin(kBins - 1) - age);
  while (low < high) {
    const DurationMs middle = low + (high - low) / 2;
    if (survival(age, middle) <= part) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

void DurationHistogram::save(ByteWriter& out) const {
  std::uint64_t used = 0;
  for (const std::uint32_t bin : bins_) used += bin > 0 ? 1 : 0;
  out.varint(used);
  for (std::uint32_t bin = 0; bin < bins_.size(); ++bin) {
    if (bins_[bin] == 0) continue;
    out.varint(bin);
    out.varint(bins_[bin]);
  }
}

void DurationHistogram::load(ByteReader& in) {
  for (std::size_t i = in.count(); i > 0 && in.ok(); --i) {
    const std::uint64_t bin = in.varint();
    const std::uint64_t times = in.varint();
    if (bin >= kBins || times == 0 || times > UINT32_MAX) return in.reject();
    add(begin_of_bin(static_cast<std::uint32_t>(bin)), static_cast<std::uint32_t>(times));
  }
}

void RunMean::add(DurationMs ran, std::uint32_t window) {
  total_ += static_cast<std::uint64_t>(std::max<DurationMs>(0, ran)) - total_ / window;
  weight_ += kUnit - weight_ / window;
}

DurationMs RunMean::value(DurationMs prior, DurationMs running) const {
  const auto time = static_cast<__int128>(total_) + prior + running;
  return static_cast<DurationMs>(time * kUnit / static_cast<__int128>(weight_ + kUnit));
}

void RunMean::save(ByteWriter& out) const {
  out.varint(total_);
  out.varint(weight_);
}

void RunMean::load(ByteReader& in) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  total_ = in.varint();
  weight_ = in.varint();
  if (total_ > kMost || weight_ > kMost) in.reject();
}

KindIndex RunTimeBook::intern(const std::string& key) {
  if (const KindIndex* known = by_key_.find(key)) return *known;
  const KindIndex index(static_cast<std::uint32_t>(kinds_.size()));
  kinds_.push_back({key, {}, {}});
  by_key_.insert(key, index);
  return index;
}

// Half of them at the median, four tenths between it and the p90, one tenth at twice the p90.
void RunTimeBook::seed(KindIndex kind, DurationMs median, DurationMs p90, std::uint32_t jobs) {
  const std::uint32_t count = std::min(jobs, kSeedJobs);
  if (count == 0) return;
  const std::uint32_t high = count * 4 / 10;
  const std::uint32_t tail = count / 10;
  learn(kind, median, count - high - tail);
  if (high > 0) learn(kind, median + (p90 - median) / 2, high);
  if (tail > 0) learn(kind, saturating_mul(p90, 2), tail);
}

void RunTimeBook::learn(KindIndex index, DurationMs ran, std::uint32_t jobs) {
  Kind& kind = kinds_[index.value()];
  kind.times.add(ran, jobs);
  const DurationMs bounded = std::min(ran, kLongestRun);
  for (std::uint32_t i = 0; i < jobs; ++i) {
    kind.mean.add(bounded, kKindWindow);
    all_.add(bounded, kAllWindow);
  }
}

void RunTimeBook::start(KindIndex index, TimeMs at) {
  Kind& kind = kinds_[index.value()];
  ++kind.running;
  kind.running_since = saturating_add(kind.running_since, at);
}

void RunTimeBook::stop(KindIndex index, TimeMs at) {
  Kind& kind = kinds_[index.value()];
  --kind.running;
  kind.running_since = saturating_add(kind.running_since, -at);
}

DurationMs RunTimeBook::mean(KindIndex index, TimeMs now) const {
  const Kind& kind = kinds_[index.value()];
  const DurationMs prior = all_.value(kHourMs, 0);
  const DurationMs running =
      std::max<DurationMs>(0, saturating_mul(now, kind.running) - kind.running_since);
  return kind.mean.value(prior, running);
}

void RunTimeBook::save(ByteWriter& out) const {
  std::vector<const Kind*> known;
  for (const Kind& kind : kinds_) {
    if (kind.times.count() > 0) known.push_back(&kind);
  }
  std::sort(known.begin(), known.end(),
            [](const Kind* a, const Kind* b) { return a->key < b->key; });
  out.varint(known.size());
  for (const Kind* kind : known) {
    out.text(kind->key);
    kind->times.save(out);
    kind->mean.save(out);
  }
  all_.save(out);
}

void RunTimeBook::load(ByteReader& in) {
  for (std::size_t i = in.count(); i > 0 && in.ok(); --i) {
    const KindIndex kind = intern(in.text());
    kinds_[kind.value()].times.load(in);
    kinds_[kind.value()].mean.load(in);
  }
  all_.load(in);
}

}  // namespace berth::engine

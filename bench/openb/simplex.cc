#include "bench/openb/simplex.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "base/rng.h"

namespace berth::bench::openb {
namespace {

constexpr double kCostTolerance = 1e-9;
constexpr double kPivotTolerance = 1e-9;
constexpr double kDropTolerance = 1e-13;    // smaller entries of a pivot row are noise
constexpr double kPerturbation = 1e-7;      // of a basic value, relative to max(1, value)
constexpr double kSlackScale = 0.70710678;  // 1 / norm of (1, unit column)
constexpr std::size_t kRefactorEvery = 200;
constexpr std::size_t kBlandAfter = 5'000;  // steps without progress
constexpr std::size_t kMaxRounds = 20;      // primal and dual phases in turn

double size_of(double value) { return std::max(1.0, std::abs(value)); }

}  // namespace

Outcome<Simplex> Simplex::create(std::vector<double> rhs) {
  for (std::size_t i = 0; i < rhs.size(); ++i) {
    if (!std::isfinite(rhs[i]) || rhs[i] < 0) {
      return Failure("right-hand side of row " + std::to_string(i) + " is " +
                     std::to_string(rhs[i]) + ", expected a finite number >= 0");
    }
  }
  return Simplex(std::move(rhs));
}

Simplex::Simplex(std::vector<double> rhs)
    : rhs_(std::move(rhs)),
      basis_(rhs_.size()),
      is_basic_(rhs_.size(), 1),
      inverse_(rhs_.size() * rhs_.size()),
      working_rhs_(rhs_),
      basic_value_(rhs_),
      dual_(rhs_.size()) {
  std::iota(basis_.begin(), basis_.end(), std::size_t{0});
  for (std::size_t i = 0; i < rows(); ++i) inverse_[i * rows() + i] = 1;
}

Outcome<std::size_t> Simplex::add_column(double objective, std::span<const Entry> entries) {
  if (!std::isfinite(objective)) {
    return Failure("objective of column " + std::to_string(columns()) + " is not finite");
  }
  std::vector<Entry> sorted(entries.begin(), entries.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.row < b.row; });
  double square = 1;
  for (const Entry& entry : sorted) {
    if (entry.row >= rows() || !std::isfinite(entry.value)) {
      return Failure("entry of column " + std::to_string(columns()) + " in row " +
                     std::to_string(entry.row) + ", expected a finite value in a row below " +
                     std::to_string(rows()));
    }
    square += entry.value * entry.value;
  }
  entries_.insert(entries_.end(), sorted.begin(), sorted.end());
  start_.push_back(entries_.size());
  objective_.push_back(objective);
  scale_.push_back(1 / std::sqrt(square));
  is_basic_.push_back(0);
  return columns() - 1;
}

std::span<const Simplex::Entry> Simplex::column(std::size_t id) const {
  const std::size_t j = id - rows();
  return std::span(entries_).subspan(start_[j], start_[j + 1] - start_[j]);
}

double Simplex::objective_of(std::size_t id) const {
  return id < rows() ? 0 : objective_[id - rows()];
}

double Simplex::reduced_cost(std::size_t id) const {
  if (id < rows()) return -dual_[id];
  double cost = objective_[id - rows()];
  for (const Entry& entry : column(id)) cost -= dual_[entry.row] * entry.value;
  return cost;
}

double Simplex::row_value(std::size_t row, std::size_t id) const {
  const double* inverse_row = &inverse_[row * rows()];
  if (id < rows()) return inverse_row[id];
  double value = 0;
  for (const Entry& entry : column(id)) value += inverse_row[entry.row] * entry.value;
  return value;
}

std::vector<double> Simplex::direction(std::size_t id) const {
  std::vector<double> along(rows());
  for (std::size_t i = 0; i < rows(); ++i) along[i] = row_value(i, id);
  return along;
}

std::vector<double> Simplex::times_inverse(const std::vector<double>& vector) const {
  std::vector<double> result(rows());
  for (std::size_t i = 0; i < rows(); ++i) {
    const double* row = &inverse_[i * rows()];
    result[i] = std::inner_product(vector.begin(), vector.end(), row, 0.0);
  }
  return result;
}

// Gauss-Jordan with row pivoting.
Outcome<std::size_t> Simplex::refactor() {
  const std::size_t n = rows();
  std::vector<double> matrix(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    if (basis_[k] < n) {
      matrix[basis_[k] * n + k] = 1;
      continue;
    }
    for (const Entry& entry : column(basis_[k])) matrix[entry.row * n + k] += entry.value;
  }
  std::fill(inverse_.begin(), inverse_.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) inverse_[i * n + i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(matrix[i * n + k]) > std::abs(matrix[best * n + k])) best = i;
    }
    if (std::abs(matrix[best * n + k]) < kPivotTolerance) {
      return Failure("the basis became singular at column " + std::to_string(k) + " of " +
                     std::to_string(n));
    }
    if (best != k) {
      std::swap_ranges(&matrix[k * n], &matrix[k * n] + n, &matrix[best * n]);
      std::swap_ranges(&inverse_[k * n], &inverse_[k * n] + n, &inverse_[best * n]);
    }
    const double scale = 1 / matrix[k * n + k];
    for (std::size_t j = k; j < n; ++j) matrix[k * n + j] *= scale;
    for (std::size_t j = 0; j < n; ++j) inverse_[k * n + j] *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = matrix[i * n + k];
      if (i == k || factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
      for (std::size_t j = 0; j < n; ++j) inverse_[i * n + j] -= factor * inverse_[k * n + j];
    }
  }
  basic_value_ = times_inverse(working_rhs_);
  reset_duals();
  updates_ = 0;
  return n;
}

void Simplex::reset_duals() {
  std::fill(dual_.begin(), dual_.end(), 0.0);
  for (std::size_t k = 0; k < rows(); ++k) {
    const double cost = objective_of(basis_[k]);
    if (cost == 0) continue;
    for (std::size_t i = 0; i < rows(); ++i) dual_[i] += cost * inverse_[k * rows() + i];
  }
}

// Lifts every basic value by its own small amount, and the right-hand side with it, so that no two
// rows tie and every step moves: what keeps the primal phase from cycling on degenerate problems.
void Simplex::perturb(std::size_t salt) {
  Rng random(salt + 1);
  std::fill(working_rhs_.begin(), working_rhs_.end(), 0.0);
  for (std::size_t k = 0; k < rows(); ++k) {
    const double lift = 0.5 + static_cast<double>(random.below(1U << 20U)) / (1U << 21U);
    basic_value_[k] = std::max(0.0, basic_value_[k]);
    basic_value_[k] += kPerturbation * lift * size_of(basic_value_[k]);
    if (basis_[k] < rows()) {
      working_rhs_[basis_[k]] += basic_value_[k];
      continue;
    }
    for (const Entry& entry : column(basis_[k])) {
      working_rhs_[entry.row] += entry.value * basic_value_[k];
    }
  }
}

Simplex::Choice Simplex::choose_entering(std::size_t idle_steps) const {
  Choice choice;
  double best = 0;
  for (std::size_t id = 0; id < rows() + columns(); ++id) {
    if (is_basic_[id] != 0) continue;
    const double cost = reduced_cost(id);
    if (cost <= kCostTolerance) continue;
    if (idle_steps > kBlandAfter) return {id, true};  // Bland's rule: lowest index
    const double gain = id < rows() ? cost * kSlackScale : cost * scale_[id - rows()];
    if (gain > best) {
      best = gain;
      choice = {id, true};
    }
  }
  return choice;
}

// Among the rows that block first, up to rounding, the one with the largest pivot.
Simplex::Choice Simplex::choose_leaving(const std::vector<double>& along) const {
  double nearest = HUGE_VAL;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (along[i] <= kPivotTolerance) continue;
    const double slack = 1e-10 * size_of(basic_value_[i]);
    nearest = std::min(nearest, (std::max(0.0, basic_value_[i]) + slack) / along[i]);
  }
  Choice choice;
  double largest = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (along[i] <= kPivotTolerance || std::max(0.0, basic_value_[i]) / along[i] > nearest) {
      continue;
    }
    if (along[i] > largest) {
      largest = along[i];
      choice = {i, true};
    }
  }
  return choice;
}

Simplex::Step Simplex::primal_step(std::size_t idle_steps) {
  const Choice entering = choose_entering(idle_steps);
  if (!entering.found) return Step::kOptimal;
  const std::vector<double> along = direction(entering.id);
  const Choice leaving = choose_leaving(along);
  if (!leaving.found) return Step::kUnbounded;
  pivot(leaving.id, entering.id, along);
  return Step::kMoved;
}

// Repairs the most broken row while the duals stay feasible.
Simplex::Step Simplex::dual_step() {
  std::size_t row = 0;
  double worst = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    const double broken = basic_value_[i];
    if (broken < worst && broken < -0.1 * kRowTolerance * size_of(rhs_[i])) {
      worst = broken;
      row = i;
    }
  }
  if (worst == 0) return Step::kOptimal;
  Choice entering;
  double nearest = HUGE_VAL;
  double largest = 0;
  for (std::size_t id = 0; id < rows() + columns(); ++id) {
    if (is_basic_[id] != 0) continue;
    const double value = row_value(row, id);
    if (value >= -kPivotTolerance) continue;
    const double ratio = std::max(0.0, -reduced_cost(id)) / -value;
    const bool tie = std::abs(ratio - nearest) <= kCostTolerance;
    if (tie ? -value > largest : ratio < nearest) {
      nearest = std::min(ratio, nearest);
      largest = -value;
      entering = {id, true};
    }
  }
  if (!entering.found) return Step::kUnbounded;
  pivot(row, entering.id, direction(entering.id));
  return Step::kMoved;
}

void Simplex::pivot(std::size_t row, std::size_t entering, const std::vector<double>& along) {
  const std::size_t n = rows();
  const double cost = reduced_cost(entering);
  double* pivot_row = &inverse_[row * n];
  for (std::size_t j = 0; j < n; ++j) {
    pivot_row[j] /= along[row];
    if (std::abs(pivot_row[j]) < kDropTolerance) pivot_row[j] = 0;
    dual_[j] += cost * pivot_row[j];
  }
  const double step = basic_value_[row] / along[row];
  for (std::size_t i = 0; i < n; ++i) {
    if (i == row || along[i] == 0) continue;
    double* target = &inverse_[i * n];
    for (std::size_t j = 0; j < n; ++j) target[j] -= along[i] * pivot_row[j];
    basic_value_[i] -= along[i] * step;
  }
  basic_value_[row] = step;
  is_basic_[basis_[row]] = 0;
  is_basic_[entering] = 1;
  basis_[row] = entering;
  ++updates_;
}

Outcome<std::size_t> Simplex::refactor_if_due() {
  return updates_ >= kRefactorEvery ? refactor() : Outcome<std::size_t>(0);
}

Outcome<std::size_t> Simplex::primal_phase(std::size_t step_budget) {
  std::size_t idle_steps = 0;
  double best = -HUGE_VAL;
  for (std::size_t steps = 0; steps < step_budget; ++steps) {
    const Outcome<std::size_t> fresh = refactor_if_due();
    if (!fresh) return fresh;
    const Step step = primal_step(idle_steps);
    if (step == Step::kOptimal) return steps;
    if (step == Step::kUnbounded) return Failure("the objective is unbounded");
    const double value = std::inner_product(dual_.begin(), dual_.end(), working_rhs_.begin(), 0.0);
    idle_steps = value > best + kCostTolerance * kPerturbation ? 0 : idle_steps + 1;
    best = std::max(best, value);
  }
  return Failure("no optimum after " + std::to_string(step_budget) + " primal steps");
}

Outcome<std::size_t> Simplex::dual_phase(std::size_t step_budget) {
  for (std::size_t steps = 0; steps < step_budget; ++steps) {
    const Outcome<std::size_t> fresh = refactor_if_due();
    if (!fresh) return fresh;
    const Step step = dual_step();
    if (step == Step::kOptimal) return steps;
    if (step == Step::kUnbounded) return Failure("a row cannot be repaired: rounding is too large");
  }
  return Failure("no optimum after " + std::to_string(step_budget) + " dual steps");
}

Outcome<Simplex::Solution> Simplex::solve() {
  std::size_t steps = 0;
  for (std::size_t round = 0; round < kMaxRounds; ++round) {
    perturb(round);
    const Outcome<std::size_t> primal = primal_phase(kMaxSteps - std::min(steps, kMaxSteps));
    if (!primal) return Failure(primal.error());
    steps += *primal;
    working_rhs_ = rhs_;
    const Outcome<std::size_t> fresh = refactor();
    if (!fresh) return Failure(fresh.error());
    const Outcome<std::size_t> dual = dual_phase(kMaxSteps - std::min(steps, kMaxSteps));
    if (!dual) return Failure(dual.error());
    steps += *dual;
    if (!choose_entering(0).found) {
      Solution solution = read_solution();
      solution.steps = steps;
      return solution;
    }
  }
  return Failure("no basis is both primal and dual feasible: rounding is too large");
}

Simplex::Solution Simplex::read_solution() const {
  Solution solution;
  solution.primal.resize(columns());
  for (std::size_t k = 0; k < rows(); ++k) {
    if (basis_[k] < rows()) continue;
    const std::size_t j = basis_[k] - rows();
    solution.primal[j] = std::max(0.0, basic_value_[k]);
    solution.objective += objective_[j] * solution.primal[j];
  }
  solution.dual = dual_;
  return solution;
}

}  // namespace berth::bench::openb

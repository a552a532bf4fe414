// A small linear programming solver: maximise c x subject to A x <= b, x >= 0, with b >= 0.
// Owns: the columns, the basis and its inverse. Must never return a point that breaks a row by more
// than kRowTolerance, nor loop for ever: it gives up with an error after a bounded number of steps.
//
// Revised simplex with a dense inverse, for some hundred rows and some ten thousand sparse columns:
// memory rows^2, time rows^2 + non-zeros a step. Columns can be added between calls of solve(),
// which then starts from the last optimal basis, as column generation wants.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/openb/outcome.h"

namespace berth::bench::openb {

class Simplex {
 public:
  struct Entry {
    std::size_t row = 0;
    double value = 0;
  };

  struct Solution {
    double objective = 0;
    std::vector<double> primal;  // one per added column
    std::vector<double> dual;    // one per row, >= 0 up to rounding
    std::size_t steps = 0;       // of this call
  };

  // Steps that one call of solve() may take: the largest problem here needs some thousand.
  static constexpr std::size_t kMaxSteps = 200'000;
  // Relative to the size of the row.
  static constexpr double kRowTolerance = 1e-7;

  // Fails on an entry that is negative or not finite.
  static Outcome<Simplex> create(std::vector<double> rhs);

  // Returns the index of the column. Entries of equal row are added up.
  Outcome<std::size_t> add_column(double objective, std::span<const Entry> entries);

  // Fails if the objective is unbounded or the arithmetic breaks down.
  Outcome<Solution> solve();

  std::size_t rows() const { return rhs_.size(); }
  std::size_t columns() const { return objective_.size(); }

 private:
  explicit Simplex(std::vector<double> rhs);

  enum class Step { kMoved, kOptimal, kUnbounded };
  struct Choice {
    std::size_t id = 0;
    bool found = false;
  };

  // Variables have ids: 0 .. rows - 1 are slacks, the rest columns.
  std::span<const Entry> column(std::size_t id) const;
  double objective_of(std::size_t id) const;
  double reduced_cost(std::size_t id) const;
  double row_value(std::size_t row, std::size_t id) const;
  std::vector<double> direction(std::size_t id) const;
  std::vector<double> times_inverse(const std::vector<double>& vector) const;

  Outcome<std::size_t> refactor();
  void reset_duals();
  void perturb(std::size_t salt);
  Choice choose_entering(std::size_t idle_steps) const;
  Choice choose_leaving(const std::vector<double>& along) const;
  Step primal_step(std::size_t idle_steps);
  Step dual_step();
  void pivot(std::size_t row, std::size_t entering, const std::vector<double>& along);
  Outcome<std::size_t> primal_phase(std::size_t step_budget);
  Outcome<std::size_t> dual_phase(std::size_t step_budget);
  Outcome<std::size_t> refactor_if_due();
  Solution read_solution() const;

  std::vector<double> rhs_;
  std::vector<double> objective_;
  std::vector<std::size_t> start_{0};  // entries of column j: start_[j] .. start_[j + 1] - 1
  std::vector<Entry> entries_;
  std::vector<double> scale_;  // 1 / norm of (1, column), for pricing

  std::vector<std::size_t> basis_;  // id of the variable of each row
  std::vector<char> is_basic_;      // by id
  std::vector<double> inverse_;     // of the basis, by rows
  std::vector<double> working_rhs_;
  std::vector<double> basic_value_;
  std::vector<double> dual_;
  std::size_t updates_ = 0;  // pivots since the inverse was last computed afresh
};

}  // namespace berth::bench::openb

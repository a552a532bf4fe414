// A table for people: the first column to the left, figures to the right.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

class Table {
 public:
  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string to_text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "95.23", "+0.51".
std::string fixed(double value, int decimals);
std::string with_sign(double value, int decimals);

}  // namespace berth::bench

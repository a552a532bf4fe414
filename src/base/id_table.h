// IdTable: records by strong id in dense rows. Rows of erased records are used again, so the order
// of rows means nothing: whoever needs an order asks for `sorted_ids`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/lookup_map.h"

namespace berth {

// Record needs a member `id` of type Id; a free row has Id::none().
template <typename Id, typename Record>
class IdTable {
 public:
  const Record* find(Id id) const {
    const std::uint32_t* row = rows_by_id_.find(id);
    return row == nullptr ? nullptr : &rows_[*row];
  }
  Record* find(Id id) {
    const std::uint32_t* row = rows_by_id_.find(id);
    return row == nullptr ? nullptr : &rows_[*row];
  }
  const Record& at(Id id) const {
    const Record* record = find(id);
    BERTH_CHECK(record != nullptr);
    return *record;
  }
  Record& at(Id id) {
    Record* record = find(id);
    BERTH_CHECK(record != nullptr);
    return *record;
  }

  // The id must be absent. The reference is valid until the next insert.
  Record& insert(Record record) {
    const Id id = record.id;
    std::uint32_t row = 0;
    if (free_rows_.empty()) {
      row = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back(std::move(record));
    } else {
      row = free_rows_.back();
      free_rows_.pop_back();
      rows_[row] = std::move(record);
    }
    BERTH_CHECK(rows_by_id_.insert(id, row));
    return rows_[row];
  }

  void erase(Id id) {
    const std::uint32_t* row = rows_by_id_.find(id);
    BERTH_CHECK(row != nullptr);
    rows_[*row] = Record{};
    free_rows_.push_back(*row);
    rows_by_id_.erase(id);
  }

  std::size_t size() const { return rows_by_id_.size(); }
  bool empty() const { return rows_by_id_.empty(); }

  // O(n log n)
  std::vector<Id> sorted_ids() const {
    std::vector<Id> ids;
    ids.reserve(size());
    for (const Record& record : rows_) {
      if (!record.id.is_none()) ids.push_back(record.id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

 private:
  std::vector<Record> rows_;
  std::vector<std::uint32_t> free_rows_;
  LookupMap<Id, std::uint32_t> rows_by_id_;
};

}  // namespace berth

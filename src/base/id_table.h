// IdTable: records by strong id in dense rows. Rows of erased records are used again, so the order
// of rows means nothing: whoever needs an order asks for `sorted_ids`.
#pragma once

#include <algorithm>
#include <boost/container/deque.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
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

  // A record with all else at its defaults. The id must be absent. References stay valid until
  // their record is erased.
  Record& insert(Id id) {
    auto row = static_cast<std::uint32_t>(rows_.size());
    if (free_rows_.empty()) {
      rows_.emplace_back();
    } else {
      row = free_rows_.back();
      free_rows_.pop_back();
    }
    BERTH_CHECK(rows_by_id_.insert(id, row));
    Record& record = rows_[row];
    record.id = id;
    return record;
  }
  Record& insert(Record record) {
    Record& place = insert(record.id);
    place = std::move(record);
    return place;
  }

  void erase(Id id) {
    const std::uint32_t* row = rows_by_id_.find(id);
    BERTH_CHECK(row != nullptr);
    Record& record = rows_[*row];
    std::destroy_at(&record);
    std::construct_at(&record);
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
  using Pages = boost::container::deque_options<boost::container::block_size<256U>>::type;

  boost::container::deque<Record, void, Pages> rows_;  // growing moves no record
  std::vector<std::uint32_t> free_rows_;
  LookupMap<Id, std::uint32_t> rows_by_id_;
};

}  // namespace berth

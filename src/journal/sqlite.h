// Sqlite: the little of SQLite that the journal needs, with its errors as ours. The only file that
// knows the library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace berth::journal {

// A prepared statement. Parameters and columns count from 0; a column's bytes hold until the next
// step.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3* database, sqlite3_stmt* statement);

  SqliteStatement& bind(int parameter, std::uint64_t value);
  SqliteStatement& bind(int parameter, std::string_view bytes);  // must outlive the steps
  // Whether there is a row.
  Result<bool> step();
  // Steps to the end, for a statement without rows, and makes it ready to be used again.
  Status run();

  std::uint64_t integer(int column) const;
  std::string_view bytes(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// One file, which no other process may use as long as this object lives.
class SqliteFile {
 public:
  // In WAL mode; a commit is durable when it returns. Made where there is none.
  static Result<SqliteFile> open(const std::string& path);
  // Changes nothing. Where a program that was killed left a tail beside it (-wal), `open` must take
  // that in first; then this is refused.
  static Result<SqliteFile> open_to_read(const std::string& path);

  Status run(const std::string& sql);
  Result<SqliteStatement> prepare(const std::string& sql) const;
  // The only column of the only row.
  Result<std::uint64_t> number(const std::string& sql) const;
  bool is_in_transaction() const;
  // Whoever had it before was killed: what was not committed then has been cut off.
  bool had_tail() const { return had_tail_; }
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  SqliteFile(std::string path, sqlite3* database);
  static Result<SqliteFile> open(const std::string& path, const std::string& name, int flags);

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
  bool had_tail_ = false;
};

}  // namespace berth::journal

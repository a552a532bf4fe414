#include "journal/sqlite.h"

#include <sqlite3.h>

#include <filesystem>

#include "base/check.h"

namespace berth::journal {
namespace {

ErrorCode code_of(int status) {
  return status == SQLITE_CORRUPT || status == SQLITE_NOTADB ? ErrorCode::kCorrupt
                                                             : ErrorCode::kUnavailable;
}

tl::unexpected<Error> failure(sqlite3* database, int status) {
  const char* name = sqlite3_db_filename(database, "main");
  std::string text = name == nullptr ? "the journal" : name;
  switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      text += ": another process uses it";
      break;
    case SQLITE_FULL:
      text += ": the disk is full";
      break;
    case SQLITE_NOTADB:
      text += ": is not a journal";
      break;
    default:
      text += std::string(": ") + sqlite3_errmsg(database);
  }
  return fail(code_of(status & 0xff), std::move(text));
}

constexpr const char* kTail = "-wal";

// Taken in and removed when whoever uses the file ends in order.
bool has_tail(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path + kTail, none);
  return !none && size > 0;
}

std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    static constexpr std::string_view kSpecial = "%?#";
    static constexpr std::string_view kDigits = "0123456789ABCDEF";
    if (kSpecial.find(c) == std::string_view::npos) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return uri;
}

}  // namespace

SqliteStatement::SqliteStatement(sqlite3* database, sqlite3_stmt* statement)
    : database_(database), statement_(statement) {}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteStatement& SqliteStatement::bind(int parameter, std::uint64_t value) {
  const auto whole = static_cast<sqlite3_int64>(value);
  BERTH_CHECK(whole >= 0);
  BERTH_CHECK(sqlite3_bind_int64(statement_.get(), parameter + 1, whole) == SQLITE_OK);
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, std::string_view bytes) {
  const int status = sqlite3_bind_blob64(statement_.get(), parameter + 1, bytes.data(),
                                         bytes.size(), SQLITE_STATIC);
  BERTH_CHECK(status == SQLITE_OK || status == SQLITE_TOOBIG);  // then the step says so
  return *this;
}

Result<bool> SqliteStatement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return failure(database_, status);
}

Status SqliteStatement::run() {
  const auto row = step();
  sqlite3_reset(statement_.get());
  if (!row) return tl::unexpected(row.error());
  return {};
}

std::uint64_t SqliteStatement::integer(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
}

std::string_view SqliteStatement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

SqliteFile::SqliteFile(std::string path, sqlite3* database)
    : path_(std::move(path)), database_(database) {}

void SqliteFile::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<SqliteFile> SqliteFile::open(const std::string& path, const std::string& name, int flags) {
  sqlite3* database = nullptr;
  const int status = sqlite3_open_v2(name.c_str(), &database, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteFile file(path, database);
  if (status != SQLITE_OK) {
    return fail(ErrorCode::kUnavailable, path + ": " + sqlite3_errstr(status));
  }
  sqlite3_extended_result_codes(database, 1);
  return file;
}

Result<SqliteFile> SqliteFile::open(const std::string& path) {
  const bool had_tail = has_tail(path);
  auto opened = open(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!opened) return opened;
  SqliteFile file = std::move(*opened);
  file.had_tail_ = had_tail;
  for (const char* sql : {"PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=WAL",
                          "PRAGMA synchronous=FULL", "BEGIN EXCLUSIVE", "COMMIT"}) {
    if (auto s = file.run(sql); !s) return tl::unexpected(s.error());
  }
  return file;
}

Result<SqliteFile> SqliteFile::open_to_read(const std::string& path) {
  if (has_tail(path)) {
    return fail(ErrorCode::kUnavailable, path + ": a server uses it, or was killed: " + path +
                                             kTail + " has what is not in it yet");
  }
  // Nobody writes it, and where it lies nothing may have to be written either.
  return open(path, uri_of(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

bool SqliteFile::is_in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }

Status SqliteFile::run(const std::string& sql) {
  const int status = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return failure(database_.get(), status);
  return {};
}

Result<SqliteStatement> SqliteFile::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()),
                                        &statement, nullptr);
  if (status != SQLITE_OK) return failure(database_.get(), status);
  return SqliteStatement(database_.get(), statement);
}

Result<std::uint64_t> SqliteFile::number(const std::string& sql) const {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? statement->integer(0) : 0;
}

}  // namespace berth::journal

# Libraries of the distribution; the packages are listed in packages.txt. Nothing is downloaded.
#
# Names for berth_room(... LIBRARIES ...): Threads::Threads tl::expected
# nlohmann_json::nlohmann_json yaml-cpp CLI11::CLI11 Boost::headers PkgConfig::XXHASHPC SQLite::SQLite3.

find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
foreach(package IN ITEMS tl-expected nlohmann_json yaml-cpp CLI11 GTest rapidcheck)
  find_package(${package} CONFIG REQUIRED)
endforeach()
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASHPC REQUIRED IMPORTED_TARGET libxxhash)

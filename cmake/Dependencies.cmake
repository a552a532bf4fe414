# Libraries of the distribution; the packages are listed in packages.txt. Nothing is downloaded.
#
# Names for berth_room(... LIBRARIES ...): Threads::Threads tl::expected
# nlohmann_json::nlohmann_json yaml-cpp CLI11::CLI11 Boost::headers PkgConfig::XXHASHPC
# PkgConfig::RE2PC SQLite::SQLite3 OpenSSL::SSL OpenSSL::Crypto CURL::libcurl fmt::fmt spdlog::spdlog
# gRPC::grpc++ protobuf::libprotobuf restinio::restinio prometheus-cpp::core.

foreach(package IN ITEMS Threads SQLite3 OpenSSL CURL Protobuf)
  find_package(${package} REQUIRED)
endforeach()
foreach(package IN ITEMS tl-expected nlohmann_json yaml-cpp CLI11 GTest rapidcheck
                         fmt spdlog gRPC restinio prometheus-cpp)
  find_package(${package} CONFIG REQUIRED)
endforeach()
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASHPC REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(RE2PC REQUIRED IMPORTED_TARGET re2)

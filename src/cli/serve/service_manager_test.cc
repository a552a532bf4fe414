#include "cli/serve/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

namespace berth::cli {
namespace {

// The manager's end.
class Manager {
 public:
  explicit Manager(const std::string& name) : file_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(file_, reinterpret_cast<const sockaddr*>(&address), size), 0);
  }
  ~Manager() { close(file_); }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  std::string next() const {
    std::array<char, 64> text{};
    const ssize_t size = recv(file_, text.data(), text.size(), MSG_DONTWAIT);
    return size < 0 ? "nothing" : std::string(text.data(), static_cast<std::size_t>(size));
  }

 private:
  int file_;
};

TEST(ServiceManager, IsToldByPathOrAbstractName) {
  const std::string unique = "berth-notify-" + std::to_string(getpid());
  for (const std::string& name : {::testing::TempDir() + "/" + unique, "@" + unique}) {
    const Manager manager(name);
    const auto told = notify(name, "READY=1");
    EXPECT_TRUE(told) << told.error().to_text();
    EXPECT_EQ(manager.next(), "READY=1") << name;
    unlink(name.c_str());
  }
}

TEST(ServiceManager, OneThatIsNotThereIsAnErrorThatNamesIt) {
  const auto gone = notify("/nowhere/notify", "READY=1");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().to_text(),
            "NOTIFY_SOCKET: '/nowhere/notify' takes nothing: No such file or directory");
  EXPECT_FALSE(notify("vsock:2:9000", "READY=1"));
  EXPECT_FALSE(notify("/" + std::string(200, 'a'), "READY=1"));
}

}  // namespace
}  // namespace berth::cli

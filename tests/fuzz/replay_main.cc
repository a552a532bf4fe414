// Feeds a fuzzer each file of a corpus folder once: every input that ever broke something stays a
// test, with any compiler and without libFuzzer. With --bits it is fed each file again with each of
// its bits flipped, one at a time: what fuzzing finds by luck this finds always.
#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::size_t flipped_bit = 0;  // of the file that was named last; what a crash tells

void tell_bit(int signal_number) {
  std::fprintf(stderr, "with bit %zu flipped\n", flipped_bit);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void feed(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

void feed_flipped(std::string text) {
  for (flipped_bit = 0; flipped_bit < text.size() * 8; ++flipped_bit) {
    const auto mask = static_cast<char>(1U << (flipped_bit % 8));
    char& byte = text[flipped_bit / 8];
    byte = static_cast<char>(byte ^ mask);
    feed(text);
    byte = static_cast<char>(byte ^ mask);
  }
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool flips = words.size() == 2 && words[1] == "--bits";
  if ((words.size() != 1 && !flips) || !fs::is_directory(words[0])) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER [--bits]\n", argv[0]);
    return 2;
  }
  std::vector<fs::path> inputs;
  for (const auto& entry : fs::directory_iterator(words[0])) inputs.push_back(entry.path());
  std::sort(inputs.begin(), inputs.end());
  if (flips) {
    signal(SIGABRT, tell_bit);
    signal(SIGSEGV, tell_bit);
  }
  for (const auto& path : inputs) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);
    if (flips) {
      feed_flipped(text);
    } else {
      feed(text);
    }
  }
  std::printf("%zu inputs\n", inputs.size());
  return inputs.empty() ? 1 : 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "probes/sass/test_files.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string_view>

#include "probes/sass/resources.h"
#include "probes/sass/sass.h"

namespace assay::sass {

namespace {

void append(FileBytes& bytes, const FileBytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

void put_section(FileBytes& bytes, std::uint32_t name, std::uint64_t offset, std::uint64_t size) {
  put_le(bytes, name, 4);
  put_le(bytes, 1, 4);
  put_le(bytes, 0, 16);
  put_le(bytes, offset, 8);
  put_le(bytes, size, 8);
  put_le(bytes, 0, 24);
}

/// A few random bytes changed, half of them within the structures at the start and at the end
/// where the tables lie; one file in four is cut short.
FileBytes mutated(const FileBytes& original, std::mt19937_64& random) {
  FileBytes file = original;
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t changes = 1 + below(8);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t window = std::min<std::size_t>(file.size(), 256);
    const std::size_t places[] = {below(window), file.size() - 1 - below(window),
                                  below(file.size()), below(file.size())};
    constexpr std::uint8_t kEdges[] = {0x00, 0xff, 0x7f, 0x80};
    const auto byte = below(2) == 0 ? kEdges[below(4)] : static_cast<std::uint8_t>(random());
    file[places[below(4)]] = byte;
  }
  if (below(4) == 0) {
    file.resize(below(file.size()));
  }
  return file;
}

}  // namespace

FileBytes read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw std::runtime_error("cannot be opened: " + path);
  }
  const std::vector<char> raw{std::istreambuf_iterator<char>(stream), {}};
  return {raw.begin(), raw.end()};
}

FileBytes test_data(const std::string& name) {
  return read_file(std::string(ASSAY_TEST_SOURCE_DIR) + "/probes/sass/testdata/" + name);
}

void put_le(FileBytes& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i < 8 ? value >> (8 * i) : 0));
  }
}

FileBytes fatbin_with(const FileBytes& payload, std::uint32_t arch, std::uint64_t flags,
                      std::uint16_t kind) {
  FileBytes bytes;
  put_le(bytes, 0xBA55ED50, 4);
  put_le(bytes, 1, 2);
  put_le(bytes, 16, 2);
  put_le(bytes, 64 + payload.size(), 8);
  put_le(bytes, kind, 2);
  put_le(bytes, 0x101, 2);
  put_le(bytes, 64, 4);
  put_le(bytes, payload.size(), 8);
  put_le(bytes, 0, 12);
  put_le(bytes, arch, 4);
  put_le(bytes, 0, 8);
  put_le(bytes, flags, 8);
  put_le(bytes, 0, 16);
  append(bytes, payload);
  return bytes;
}

FileBytes program_with(const FileBytes& fatbin) {
  constexpr std::string_view kNames{"\0.nv_fatbin\0", 12};
  constexpr std::uint64_t kHeader = 64;
  FileBytes bytes = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  put_le(bytes, 0, 9);
  put_le(bytes, 3, 2);
  put_le(bytes, 62, 2);
  put_le(bytes, 1, 4);
  put_le(bytes, 0, 16);
  put_le(bytes, kHeader, 8);
  put_le(bytes, 0, 4);
  put_le(bytes, 64, 2);
  put_le(bytes, 0, 4);
  put_le(bytes, 64, 2);
  put_le(bytes, 3, 2);
  put_le(bytes, 1, 2);
  const std::uint64_t names_at = kHeader + std::uint64_t{3} * 64;
  put_section(bytes, 0, 0, 0);
  put_section(bytes, 0, names_at, kNames.size());
  put_section(bytes, 1, names_at + kNames.size(), fatbin.size());
  bytes.insert(bytes.end(), kNames.begin(), kNames.end());
  append(bytes, fatbin);
  return bytes;
}

bool survives(const FileBytes& file) {
  try {
    for (const Kernel& kernel : read_kernels(Bytes(file))) {
      for (const Loop& loop : innermost_loops(kernel)) {
        static_cast<void>(count_opcodes(kernel, loop));
      }
    }
    static_cast<void>(read_resources(Bytes(file)));
    return true;
  } catch (const SassError&) {
    return false;
  }
}

int refused_of_mutations(const FileBytes& original, int count) {
  std::mt19937_64 random(20261129);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    refused += survives(mutated(original, random)) ? 0 : 1;
  }
  return refused;
}

}  // namespace assay::sass

// SPDX-License-Identifier: Apache-2.0
#include "probes/sass/elf.h"

#include <algorithm>
#include <array>

namespace assay::sass {

namespace {

constexpr std::uint64_t kHeaderSize = 64;
constexpr std::uint64_t kSectionHeaderSize = 64;
constexpr std::uint32_t kSectionNoBits = 8;

std::string name_at(Bytes names, std::uint32_t offset) {
  if (offset >= names.size()) {
    throw SassError("ELF section name at " + std::to_string(offset) + " leaves the name table");
  }
  const auto begin = names.begin() + offset;
  const auto end = std::find(begin, names.end(), std::uint8_t{0});
  if (end == names.end()) {
    throw SassError("ELF section name at " + std::to_string(offset) + " has no end");
  }
  return {begin, end};
}

Bytes contents(Bytes file, Bytes header) {
  if (read_le<std::uint32_t>(header, 4, "ELF section type") == kSectionNoBits) {
    return {};
  }
  return slice(file, read_le<std::uint64_t>(header, 24, "ELF section offset"),
               read_le<std::uint64_t>(header, 32, "ELF section size"), "ELF section contents");
}

void check_identity(Bytes file) {
  constexpr std::array<std::uint8_t, 6> kIdentity = {0x7f, 'E', 'L', 'F', 2, 1};
  const Bytes start = slice(file, 0, kHeaderSize, "ELF header");
  if (!std::equal(kIdentity.begin(), kIdentity.end(), start.begin())) {
    throw SassError("not a 64-bit little-endian ELF file");
  }
}

}  // namespace

Bytes slice(Bytes bytes, std::uint64_t offset, std::uint64_t count, const char* what) {
  // Written so that no sum can wrap around.
  if (offset > bytes.size() || count > bytes.size() - offset) {
    throw SassError(std::string(what) + ": " + std::to_string(count) + " bytes at " +
                    std::to_string(offset) + " leave " + std::to_string(bytes.size()) + " bytes");
  }
  return bytes.subspan(offset, count);
}

Elf read_elf(Bytes file) {
  check_identity(file);
  Elf elf;
  elf.abi_version = file[8];
  elf.machine = read_le<std::uint16_t>(file, 18, "ELF machine");
  elf.flags = read_le<std::uint32_t>(file, 48, "ELF flags");
  const auto table_offset = read_le<std::uint64_t>(file, 40, "ELF section table offset");
  const auto entry_size = read_le<std::uint16_t>(file, 58, "ELF section entry size");
  const auto count = read_le<std::uint16_t>(file, 60, "ELF section count");
  const auto names_index = read_le<std::uint16_t>(file, 62, "ELF name table index");
  if (entry_size != kSectionHeaderSize) {
    throw SassError("ELF section entries of " + std::to_string(entry_size) + " bytes, not 64");
  }
  if (names_index >= count) {
    throw SassError("ELF name table is section " + std::to_string(names_index) + " of " +
                    std::to_string(count));
  }
  const Bytes table = slice(file, table_offset, count * kSectionHeaderSize, "ELF section table");
  const auto header = [&table](std::size_t index) {
    return table.subspan(index * kSectionHeaderSize, kSectionHeaderSize);
  };
  const Bytes names = contents(file, header(names_index));
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = read_le<std::uint32_t>(header(i), 0, "ELF section name");
    elf.sections.push_back({name_at(names, name), contents(file, header(i)),
                            read_le<std::uint64_t>(header(i), 32, "ELF section size"),
                            read_le<std::uint32_t>(header(i), 44, "ELF section info")});
  }
  return elf;
}

}  // namespace assay::sass

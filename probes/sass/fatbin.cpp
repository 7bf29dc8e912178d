// SPDX-License-Identifier: Apache-2.0
#include "probes/sass/fatbin.h"

#include <string>

namespace assay::sass {

namespace {

constexpr std::uint32_t kContainerMagic = 0xBA55ED50;
constexpr std::uint64_t kContainerHeaderSize = 16;
constexpr std::uint64_t kEntryHeaderSize = 64;
constexpr std::uint16_t kKindCubin = 2;
constexpr std::uint64_t kFlagCompressed = 0x8000;

void read_entry(Bytes entry, Bytes payload, std::vector<Cubin>& cubins) {
  if (read_le<std::uint16_t>(entry, 0, "fatbin entry kind") != kKindCubin) {
    return;
  }
  const auto arch = read_le<std::uint32_t>(entry, 28, "fatbin entry architecture");
  if ((read_le<std::uint64_t>(entry, 40, "fatbin entry flags") & kFlagCompressed) != 0) {
    throw SassError("the cubin for sm_" + std::to_string(arch) +
                    " is compressed; build with nvcc --no-compress");
  }
  if (arch == 0 || arch > 999) {
    throw SassError("fatbin entry for the impossible architecture " + std::to_string(arch));
  }
  cubins.push_back({static_cast<int>(arch), payload});
}

void read_container(Bytes body, std::vector<Cubin>& cubins) {
  std::uint64_t at = 0;
  while (at < body.size()) {
    const auto header_size = read_le<std::uint32_t>(body, at + 4, "fatbin entry header size");
    const auto size = read_le<std::uint64_t>(body, at + 8, "fatbin entry size");
    if (header_size < kEntryHeaderSize) {
      throw SassError("fatbin entry header of " + std::to_string(header_size) +
                      " bytes, at least 64 expected");
    }
    const Bytes header = slice(body, at, header_size, "fatbin entry header");
    const Bytes payload = slice(body, at + header_size, size, "fatbin entry");
    read_entry(header, payload, cubins);
    at += header_size + size;
  }
}

}  // namespace

std::vector<Cubin> read_fatbin(Bytes section) {
  std::vector<Cubin> cubins;
  std::uint64_t at = 0;
  while (at < section.size()) {
    // Containers are aligned to 8 bytes; what lies between them is zero.
    if (section[at] == 0) {
      ++at;
      continue;
    }
    if (read_le<std::uint32_t>(section, at, "fatbin container") != kContainerMagic) {
      throw SassError("no fatbin container at byte " + std::to_string(at) + " of .nv_fatbin");
    }
    const auto header_size = read_le<std::uint16_t>(section, at + 6, "fatbin container header");
    const auto size = read_le<std::uint64_t>(section, at + 8, "fatbin container size");
    if (header_size < kContainerHeaderSize) {
      throw SassError("fatbin container header of " + std::to_string(header_size) + " bytes");
    }
    slice(section, at, header_size, "fatbin container header");
    read_container(slice(section, at + header_size, size, "fatbin container"), cubins);
    at += header_size + size;
  }
  return cubins;
}

}  // namespace assay::sass

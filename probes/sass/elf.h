// SPDX-License-Identifier: Apache-2.0
// Which sections does an ELF file (a program or a cubin) have?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::sass {

using Bytes = std::span<const std::uint8_t>;

/// The file is not what it claims to be: what() says which structure is wrong, and where.
class SassError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `count` bytes from `offset`. Throws SassError, naming `what`, when they are not all there.
Bytes slice(Bytes bytes, std::uint64_t offset, std::uint64_t count, const char* what);

/// The little-endian integer of type T at `offset`. Throws SassError, naming `what`, past the end.
template <typename T>
T read_le(Bytes bytes, std::uint64_t offset, const char* what) {
  const Bytes field = slice(bytes, offset, sizeof(T), what);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<std::uint64_t>(field[i]) << (8 * i);
  }
  return static_cast<T>(value);
}

struct Section {
  std::string name;
  Bytes bytes;             ///< a view into the file; empty for sections without contents
  std::uint64_t size = 0;  ///< also of a section without contents (.nv.shared)
  std::uint32_t info = 0;  ///< a cubin's .text: the function's symbol in the low 24 bits
};

struct Elf {
  std::uint16_t machine = 0;  ///< 190 is a cubin
  std::uint8_t abi_version = 0;
  std::uint32_t flags = 0;
  std::vector<Section> sections;
};

inline constexpr std::uint16_t kMachineCuda = 190;

/// Reads the section table of a 64-bit little-endian ELF file. The result refers to `file`.
/// Throws SassError on anything else, or when a table or a section leaves the file.
Elf read_elf(Bytes file);

}  // namespace assay::sass

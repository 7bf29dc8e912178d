// SPDX-License-Identifier: Apache-2.0
// Files for the reader's tests: real cubins, and programs put together around them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::sass {

using FileBytes = std::vector<std::uint8_t>;

/// A file, read whole. Throws std::runtime_error.
FileBytes read_file(const std::string& path);
/// testdata/<name>, read whole.
FileBytes test_data(const std::string& name);

void put_le(FileBytes& bytes, std::uint64_t value, int size);

/// A fatbin container with one entry for `arch`. Kind 2 is a cubin, 1 is PTX.
FileBytes fatbin_with(const FileBytes& payload, std::uint32_t arch, std::uint64_t flags = 0x11,
                      std::uint16_t kind = 2);

/// A minimal x86-64 ELF file whose one named section is `.nv_fatbin` with these bytes.
FileBytes program_with(const FileBytes& fatbin);

/// Everything the reader offers, over one file. Returns false when it refused with SassError.
bool survives(const FileBytes& file);

/// How many of `count` randomly damaged copies of a file the reader refuses; always the same ones.
int refused_of_mutations(const FileBytes& original, int count);

}  // namespace assay::sass

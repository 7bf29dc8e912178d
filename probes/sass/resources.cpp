// SPDX-License-Identifier: Apache-2.0
#include "probes/sass/resources.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string_view>

#include "probes/sass/sass.h"

namespace assay::sass {

namespace {

// Attributes of .nv.info sections, as ptxas 11 to 13 write them; found by comparing cubins with
// `ptxas -v`. Each is a format byte, an attribute byte and two bytes that are a value or a length.
constexpr std::uint8_t kFormatSized = 4;
constexpr std::uint8_t kMaxThreads = 0x05;
constexpr std::uint8_t kRegisterCount = 0x2f;
constexpr std::uint8_t kBarrierCount = 0x4c;
constexpr std::int64_t kReserve = 1024;

struct Attribute {
  std::uint8_t id = 0;
  std::uint16_t value = 0;  ///< of attributes without contents
  Bytes contents;
};

std::vector<Attribute> attributes(Bytes info) {
  std::vector<Attribute> all;
  for (std::uint64_t at = 0; at < info.size();) {
    const auto format = read_le<std::uint8_t>(info, at, ".nv.info format");
    Attribute attribute;
    attribute.id = read_le<std::uint8_t>(info, at + 1, ".nv.info attribute");
    attribute.value = read_le<std::uint16_t>(info, at + 2, ".nv.info value");
    at += 4;
    if (format == kFormatSized) {
      attribute.contents = slice(info, at, attribute.value, ".nv.info contents");
      at += attribute.value;
    }
    all.push_back(attribute);
  }
  return all;
}

const Section* find(const Elf& elf, std::string_view name) {
  const auto at = std::find_if(elf.sections.begin(), elf.sections.end(),
                               [&](const Section& section) { return section.name == name; });
  return at == elf.sections.end() ? nullptr : &*at;
}

/// Registers by symbol.
std::map<std::uint32_t, int> register_counts(const Elf& elf) {
  std::map<std::uint32_t, int> counts;
  const Section* const info = find(elf, ".nv.info");
  if (info == nullptr) {
    return counts;
  }
  for (const Attribute& attribute : attributes(info->bytes)) {
    if (attribute.id == kRegisterCount && attribute.contents.size() == 8) {
      counts[read_le<std::uint32_t>(attribute.contents, 0, "symbol")] =
          static_cast<int>(read_le<std::uint32_t>(attribute.contents, 4, "registers") & 0xffff);
    }
  }
  return counts;
}

void take_attributes(const Section& info, KernelResources& kernel) {
  for (const Attribute& attribute : attributes(info.bytes)) {
    if (attribute.id == kBarrierCount) {
      kernel.barriers = attribute.value & 0xff;
    } else if (attribute.id == kMaxThreads && attribute.contents.size() == 12) {
      std::uint64_t threads = 1;
      for (const std::uint64_t at : std::initializer_list<std::uint64_t>{0, 4, 8}) {
        threads *= std::min<std::uint64_t>(
            read_le<std::uint32_t>(attribute.contents, at, "launch bound"), 2048);
      }
      kernel.max_threads = static_cast<int>(std::min<std::uint64_t>(threads, 2048));
    }
  }
}

std::int64_t static_smem(const Elf& elf, const KernelResources& kernel) {
  const Section* const shared = find(elf, ".nv.shared." + kernel.name);
  if (shared == nullptr) {
    return 0;
  }
  // Where the cubin has a section for the driver's reserve, each kernel's size holds it too.
  const bool with_reserve = find(elf, ".nv.shared.reserved.0") != nullptr;
  const auto size = static_cast<std::int64_t>(std::min<std::uint64_t>(shared->size, 1 << 30));
  return with_reserve ? std::max<std::int64_t>(0, size - kReserve) : size;
}

void read_cubin(const CubinElf& cubin, std::vector<KernelResources>& kernels) {
  constexpr std::string_view kPrefix = ".text.";
  const std::map<std::uint32_t, int> counts = register_counts(cubin.elf);
  for (const Section& section : cubin.elf.sections) {
    if (!section.name.starts_with(kPrefix)) {
      continue;
    }
    KernelResources kernel;
    kernel.name = section.name.substr(kPrefix.size());
    kernel.arch = cubin.arch;
    const auto at = counts.find(section.info & 0xffffff);
    if (at != counts.end()) {
      kernel.registers = at->second;
    }
    if (const Section* const info = find(cubin.elf, ".nv.info." + kernel.name)) {
      take_attributes(*info, kernel);
    }
    kernel.smem_static = static_smem(cubin.elf, kernel);
    kernels.push_back(std::move(kernel));
  }
}

}  // namespace

std::vector<KernelResources> read_resources(Bytes file) {
  std::vector<KernelResources> kernels;
  for (const CubinElf& cubin : read_cubins(file)) {
    read_cubin(cubin, kernels);
  }
  return kernels;
}

std::vector<KernelResources> read_resources(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw SassError(file.string() + ": cannot be opened");
  }
  const std::vector<char> raw{std::istreambuf_iterator<char>(stream), {}};
  const std::vector<std::uint8_t> bytes(raw.begin(), raw.end());
  try {
    return read_resources(Bytes(bytes));
  } catch (const SassError& error) {
    throw SassError(file.string() + ": " + error.what());
  }
}

}  // namespace assay::sass

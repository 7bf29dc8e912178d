// SPDX-License-Identifier: Apache-2.0
// What does an SM of each compute capability have?
#include <algorithm>
#include <array>
#include <stdexcept>

#include "dossiers/models/occupancy.h"

namespace assay {
namespace {

constexpr std::int64_t kKib = 1024;

std::vector<std::int64_t> configs(std::initializer_list<std::int64_t> kib) {
  std::vector<std::int64_t> bytes;
  for (const std::int64_t size : kib) bytes.push_back(size * kKib);
  return bytes;
}

struct Row {
  int major, minor, threads, blocks;
  std::int64_t smem_kib, reserved_kib, granularity;
  std::optional<int> barriers;
  int cluster;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", and
// cuda_occupancy.h of CUDA 13.0. Where they differ (blocks per SM and shared memory of 12.0) the
// header is right: devices say the same.
const std::array<Row, 12> kRows{{
    {7, 0, 2048, 32, 96, 0, 256, {}, 1},
    {7, 5, 1024, 16, 64, 0, 256, {}, 1},
    {8, 0, 2048, 32, 164, 1, 128, {}, 1},
    {8, 6, 1536, 16, 100, 1, 128, {}, 1},
    {8, 7, 1536, 16, 164, 1, 128, {}, 1},
    {8, 9, 1536, 24, 100, 1, 128, {}, 1},
    {9, 0, 2048, 32, 228, 1, 128, 64, 8},
    {10, 0, 2048, 32, 228, 1, 128, 64, 8},
    {10, 3, 2048, 32, 228, 1, 128, 64, 8},
    {11, 0, 1536, 24, 228, 1, 128, 24, 8},
    {12, 0, 1536, 24, 100, 1, 128, 24, 8},
    {12, 1, 1536, 24, 100, 1, 128, 24, 8},
}};

std::vector<std::int64_t> configs_of(std::int64_t largest_kib, int minor_of_seven) {
  if (minor_of_seven == 5) return configs({32, 64});
  if (minor_of_seven == 0) return configs({0, 8, 16, 32, 64, 96});
  std::vector<std::int64_t> all = configs({0, 8, 16, 32, 64, 100, 132, 164, 196, 228});
  all.erase(std::upper_bound(all.begin(), all.end(), largest_kib * kKib), all.end());
  return all;
}

SmLimits limits_of(const Row& row) {
  SmLimits sm;
  sm.major = row.major;
  sm.minor = row.minor;
  sm.max_threads = row.threads;
  sm.max_blocks = row.blocks;
  sm.smem = row.smem_kib * kKib;
  sm.smem_reserved = row.reserved_kib * kKib;
  sm.smem_optin = sm.smem - sm.smem_reserved;
  sm.smem_granularity = row.granularity;
  sm.smem_configs = configs_of(row.smem_kib, row.major == 7 ? row.minor : -1);
  sm.barriers = row.barriers;
  sm.max_cluster = row.cluster;
  return sm;
}

const std::vector<SmLimits>& table() {
  static const std::vector<SmLimits> sms = [] {
    std::vector<SmLimits> all;
    all.reserve(kRows.size());
    for (const Row& row : kRows) all.push_back(limits_of(row));
    return all;
  }();
  return sms;
}

}  // namespace

std::vector<std::string> known_capabilities() {
  std::vector<std::string> names;
  for (const SmLimits& sm : table()) names.push_back(sm.cc());
  return names;
}

const SmLimits& sm_limits(std::string_view cc) {
  for (const SmLimits& sm : table()) {
    if (sm.cc() == cc) return sm;
  }
  std::string known;
  for (const std::string& name : known_capabilities()) known += (known.empty() ? "" : ", ") + name;
  throw std::invalid_argument("compute capability \"" + std::string(cc) +
                              "\" is not known; known are " + known);
}

}  // namespace assay

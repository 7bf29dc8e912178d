// SPDX-License-Identifier: Apache-2.0
// Are two PCI bus ids or two UUIDs the same, however they are written?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "dossiers/driver/libcuda.h"

namespace assay {

struct PciId {
  std::uint32_t domain = 0, bus = 0, device = 0, function = 0;
  bool operator==(const PciId&) const = default;
  bool operator<(const PciId& other) const {
    return std::tie(domain, bus, device, function) <
           std::tie(other.domain, other.bus, other.device, other.function);
  }
};

/// Reads "0000:c1:00.0", "00000000:C1:00.0" or "c1:00.0"; nullopt for anything else.
std::optional<PciId> parse_pci_id(std::string_view text);
/// "0000:c1:00.0"; the domain has more digits when it needs them.
std::string to_string(const PciId& id);

/// "GPU-01234567-89ab-cdef-0123-456789abcdef" for the prefix "GPU-".
std::string format_uuid(std::string_view prefix, const UuidBytes& bytes);
/// Lower case.
std::string lower(std::string_view text);

}  // namespace assay

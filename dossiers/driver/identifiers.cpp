// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/identifiers.h"

#include <algorithm>
#include <charconv>
#include <iomanip>
#include <sstream>

namespace assay {

namespace {

/// All of `text` as a hexadecimal number of at most `digits` digits.
std::optional<std::uint32_t> hex_number(std::string_view text, std::size_t digits) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (text.empty() || text.size() > digits || error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<PciId> parse_pci_id(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  const std::size_t device_colon = text.rfind(':');
  if (dot == std::string_view::npos || device_colon == std::string_view::npos ||
      device_colon > dot) {
    return std::nullopt;
  }
  const std::string_view head = text.substr(0, device_colon);
  const std::size_t bus_colon = head.rfind(':');
  const bool has_domain = bus_colon != std::string_view::npos;
  const auto domain = has_domain ? hex_number(head.substr(0, bus_colon), 8) : 0U;
  const auto bus = hex_number(has_domain ? head.substr(bus_colon + 1) : head, 2);
  const auto device = hex_number(text.substr(device_colon + 1, dot - device_colon - 1), 2);
  const auto function = hex_number(text.substr(dot + 1), 1);
  if (!domain || !bus || !device || !function) {
    return std::nullopt;
  }
  return PciId{*domain, *bus, *device, *function};
}

std::string to_string(const PciId& id) {
  std::ostringstream text;
  text << std::hex << std::setfill('0') << std::setw(4) << id.domain << ':' << std::setw(2)
       << id.bus << ':' << std::setw(2) << id.device << '.' << id.function;
  return text.str();
}

std::string format_uuid(std::string_view prefix, const UuidBytes& bytes) {
  std::ostringstream text;
  text << prefix << std::hex << std::setfill('0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text << '-';
    }
    text << std::setw(2) << static_cast<unsigned>(bytes[i]);
  }
  return text.str();
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/device_list.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "dossiers/driver/identifiers.h"

namespace assay {

namespace {

constexpr std::array<std::pair<DriverAttribute, const char*>, 18> kAttributes{{
    {DriverAttribute::clock_khz, "clock_khz"},
    {DriverAttribute::sm_count, "sm_count"},
    {DriverAttribute::integrated, "integrated"},
    {DriverAttribute::compute_mode, "compute_mode"},
    {DriverAttribute::ecc_enabled, "ecc_enabled"},
    {DriverAttribute::memory_clock_khz, "memory_clock_khz"},
    {DriverAttribute::memory_bus_bits, "memory_bus_bits"},
    {DriverAttribute::l2_bytes, "l2_bytes"},
    {DriverAttribute::max_threads_per_sm, "max_threads_per_sm"},
    {DriverAttribute::cc_major, "cc_major"},
    {DriverAttribute::cc_minor, "cc_minor"},
    {DriverAttribute::smem_per_sm_bytes, "smem_per_sm_bytes"},
    {DriverAttribute::regs_per_sm, "regs_per_sm"},
    {DriverAttribute::fp32_to_fp64_ratio, "fp32_to_fp64_ratio"},
    {DriverAttribute::pageable_memory_access, "pageable_memory_access"},
    {DriverAttribute::cooperative_launch, "cooperative_launch"},
    {DriverAttribute::smem_per_block_optin_bytes, "smem_per_block_optin_bytes"},
    {DriverAttribute::max_blocks_per_sm, "max_blocks_per_sm"},
}};

constexpr std::size_t kMinUuidDigits = 8;
constexpr std::size_t kMaxIndexDigits = 4;

/// PCI order; devices without a readable id come last, slices of one GPU in UUID order.
bool comes_before(const ListedDevice& a, const ListedDevice& b) {
  const auto id_a = parse_pci_id(a.identity.pci_bus_id);
  const auto id_b = parse_pci_id(b.identity.pci_bus_id);
  if (id_a.has_value() != id_b.has_value()) {
    return id_a.has_value();
  }
  return id_a == id_b ? a.uuid < b.uuid : id_a < id_b;
}

std::string normalised_pci(const std::string& text) {
  const auto id = parse_pci_id(text);
  return id ? to_string(*id) : lower(text);
}

ListedDevice from_driver(const LibCuda& cuda, int ordinal) {
  ListedDevice device;
  device.ordinal = ordinal;
  for (const auto& [attribute, name] : kAttributes) {
    device.attributes[name] = cuda.attribute(ordinal, attribute);
  }
  device.memory_bytes = cuda.memory_bytes(ordinal);
  device.uuid = cuda.uuid(ordinal).value.value_or(UuidBytes{});
  device.gpu_uuid = cuda.gpu_uuid(ordinal).value.value_or(device.uuid);
  DeviceIdentity& identity = device.identity;
  identity.name = cuda.name(ordinal).value.value_or("");
  identity.pci_bus_id = normalised_pci(cuda.pci_bus_id(ordinal).value.value_or(""));
  identity.cc_major = device.attributes["cc_major"].value.value_or(0);
  identity.cc_minor = device.attributes["cc_minor"].value.value_or(0);
  identity.driver_cuda = cuda.driver_version().value.value_or(0);
  const bool is_slice =
      device.uuid != device.gpu_uuid || identity.name.find(" MIG ") != std::string::npos;
  identity.mig = is_slice;
  if (device.uuid != UuidBytes{}) {
    identity.uuid = format_uuid(is_slice ? "MIG-" : "GPU-", device.uuid);
  }
  if (const auto ecc = device.attributes["ecc_enabled"].value) {
    identity.ecc = *ecc != 0;
  }
  return device;
}

void complete_from_nvml(ListedDevice& device, const Nvml& nvml,
                        const std::vector<NvmlDevice>& candidates) {
  device.nvml = match_nvml(device, candidates);
  if (!device.nvml.index) {
    return;
  }
  const auto found = std::find_if(
      candidates.begin(), candidates.end(),
      [&](const NvmlDevice& candidate) { return candidate.index == *device.nvml.index; });
  device.nvml_handle = found->handle;
  DeviceIdentity& identity = device.identity;
  identity.vbios = nvml.vbios(found->handle).value;
  identity.power_limit_w = nvml.power_limit_w(found->handle).value;
  if (!identity.ecc) {
    identity.ecc = nvml.ecc(found->handle).value;
  }
  if (identity.mig == true) {
    device.slice_handle = nvml.find(identity.uuid).value.value_or(nullptr);
  }
}

std::string listing(const std::vector<ListedDevice>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceIdentity& identity = devices[i].identity;
    text += (i == 0 ? "" : "; ") + std::to_string(i) + ": " + identity.uuid + " " + identity.name +
            " " + identity.pci_bus_id;
  }
  return text;
}

/// The UUID's hexadecimal digits in lower case, or empty when `text` is none or too short.
/// `kind` becomes "gpu" or "mig" when the text says so.
std::string uuid_digits(std::string_view text, std::string& kind) {
  std::string rest = lower(text);
  if (rest.rfind("gpu-", 0) == 0 || rest.rfind("mig-", 0) == 0) {
    kind = rest.substr(0, 3);
    rest.erase(0, 4);
  }
  rest.erase(std::remove(rest.begin(), rest.end(), '-'), rest.end());
  const bool is_hex = rest.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_hex && rest.size() >= kMinUuidDigits ? rest : std::string();
}

std::optional<std::size_t> as_index(std::string_view text) {
  std::size_t index = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, index);
  if (text.empty() || text.size() > kMaxIndexDigits || error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return index;
}

std::vector<std::size_t> with_uuid_prefix(const std::vector<ListedDevice>& devices,
                                          std::string_view wanted) {
  std::string kind;
  const std::string digits = uuid_digits(wanted, kind);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; !digits.empty() && i < devices.size(); ++i) {
    std::string own_kind;
    const std::string own = uuid_digits(devices[i].identity.uuid, own_kind);
    if (own.rfind(digits, 0) == 0 && (kind.empty() || kind == own_kind)) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace

void order_devices_by_pci() {
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
}

NvmlMatch match_nvml(const ListedDevice& device, const std::vector<NvmlDevice>& candidates) {
  const std::string slice = device.identity.mig == true ? " of the slice's parent GPU" : "";
  const std::string gpu = format_uuid("gpu-", device.gpu_uuid);
  const std::string own = lower(device.identity.uuid);
  for (const NvmlDevice& candidate : candidates) {
    const std::string uuid = lower(candidate.uuid);
    if (!uuid.empty() && (uuid == own || (device.gpu_uuid != UuidBytes{} && uuid == gpu))) {
      return {candidate.index, "by UUID" + slice};
    }
  }
  const auto id = parse_pci_id(device.identity.pci_bus_id);
  for (const NvmlDevice& candidate : candidates) {
    if (id && parse_pci_id(candidate.pci_bus_id) == id) {
      return {candidate.index, "by PCI id" + slice};
    }
  }
  return {std::nullopt, "NVML lists no device with this UUID or PCI id"};
}

std::vector<ListedDevice> list_devices(const LibCuda& cuda, const Nvml* nvml,
                                       const std::string& nvml_why) {
  std::vector<ListedDevice> devices;
  devices.reserve(static_cast<std::size_t>(cuda.device_count()));
  for (int ordinal = 0; ordinal < cuda.device_count(); ++ordinal) {
    devices.push_back(from_driver(cuda, ordinal));
  }
  std::sort(devices.begin(), devices.end(), comes_before);
  const auto candidates =
      nvml == nullptr ? no_answer<std::vector<NvmlDevice>>(nvml_why) : nvml->devices();
  const std::string driver =
      nvml == nullptr ? std::string() : nvml->driver_version().value.value_or("");
  for (ListedDevice& device : devices) {
    device.identity.driver = driver;
    if (candidates) {
      complete_from_nvml(device, *nvml, *candidates.value);
    } else {
      device.nvml.how = candidates.why.empty() ? "NVML is not loaded" : candidates.why;
    }
  }
  return devices;
}

std::size_t select_device(const std::vector<ListedDevice>& devices, std::string_view wanted) {
  const std::string all = "; the devices are " + listing(devices);
  if (wanted.empty()) {
    if (devices.size() == 1) {
      return 0;
    }
    throw BadChoice("several devices are visible and none is chosen (--device or ASSAY_DEVICE)" +
                    all);
  }
  const std::string quoted = "device '" + std::string(wanted) + "' ";
  if (const auto index = as_index(wanted)) {
    if (*index >= devices.size()) {
      throw BadChoice(quoted + "is out of range 0.." + std::to_string(devices.size() - 1) + all);
    }
    return *index;
  }
  const std::vector<std::size_t> found = with_uuid_prefix(devices, wanted);
  if (found.size() > 1) {
    throw BadChoice(quoted + "is the beginning of several UUIDs" + all);
  }
  if (found.empty()) {
    throw BadChoice(quoted + "is neither an index in PCI order nor a UUID or its first 8 or more " +
                    "hex digits" + all);
  }
  return found.front();
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// What is an instruction word called?
#pragma once

#include <cstdint>
#include <string>

namespace assay::sass {

/// One machine instruction of sm_75 to sm_120: 16 bytes, little-endian.
struct Instruction {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// The low 12 bits: 9 bits of opcode and 3 bits that say where the operands come from.
  std::uint16_t opcode() const { return static_cast<std::uint16_t>(low & 0xfff); }
};

/// The mnemonic without suffixes ("FFMA", "HGMMA"), the same for all operand forms; an opcode that
/// is not in the table is called by its 12 bits ("0x7ff"). Reductions are "RED" on every
/// architecture (disassemblers say REDG from sm_90 on).
std::string opcode_name(std::uint16_t opcode);

}  // namespace assay::sass

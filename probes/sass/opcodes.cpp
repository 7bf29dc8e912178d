// SPDX-License-Identifier: Apache-2.0
#include "probes/sass/opcodes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace assay::sass {

namespace {

using Row = std::pair<std::uint16_t, std::string_view>;

// Read out of cubins of sm_75, 80, 86, 89, 90, 100 and 120 next to their disassembly; sorted.
// 0x1ea is UTCHMMA, UTCQMMA, UTCIMMA and UTCOMMA: one operation, its type in later bits.
// Not listed: 0x035, which is IADD on some architectures and HFMA2 on others.
constexpr auto kTable = std::to_array<Row>({
    {0x002, "MOV"},      {0x005, "CS2R"},      {0x006, "VOTE"},      {0x007, "SEL"},
    {0x008, "FSEL"},     {0x009, "FMNMX"},     {0x00b, "FSETP"},     {0x00c, "ISETP"},
    {0x010, "IADD3"},    {0x011, "LEA"},       {0x012, "LOP3"},      {0x019, "SHF"},
    {0x01c, "PLOP3"},    {0x020, "FMUL"},      {0x021, "FADD"},      {0x023, "FFMA"},
    {0x024, "IMAD"},     {0x025, "IMAD"},      {0x026, "IDP"},       {0x027, "IMAD"},
    {0x028, "DMUL"},     {0x029, "DADD"},      {0x02b, "DFMA"},      {0x030, "HADD2"},
    {0x031, "HFMA2"},    {0x036, "VIADD"},     {0x037, "IMMA"},      {0x03a, "MOVM"},
    {0x03b, "LDSM"},     {0x03c, "HMMA"},      {0x03d, "BMMA"},      {0x03e, "F2FP"},
    {0x03f, "DMMA"},     {0x044, "STSM"},      {0x045, "I2FP"},      {0x07a, "QMMA"},
    {0x07f, "OMMA"},     {0x082, "UMOV"},      {0x086, "VOTEU"},     {0x08c, "UISETP"},
    {0x090, "UIADD3"},   {0x091, "ULEA"},      {0x092, "ULOP3"},     {0x097, "UIADD3"},
    {0x099, "USHF"},     {0x0a4, "UIMAD"},     {0x0a5, "UIMAD"},     {0x0b9, "ULDC"},
    {0x0ca, "R2UR"},     {0x0cb, "CS2UR"},     {0x100, "FLO"},       {0x101, "BREV"},
    {0x102, "FCHK"},     {0x104, "F2F"},       {0x105, "F2I"},       {0x106, "I2F"},
    {0x108, "MUFU"},     {0x109, "POPC"},      {0x110, "F2F"},       {0x112, "I2F"},
    {0x118, "NOP"},      {0x119, "S2R"},       {0x11a, "DEPBAR"},    {0x11d, "BAR"},
    {0x141, "BSYNC"},    {0x144, "CALL"},      {0x145, "BSSY"},      {0x147, "BRA"},
    {0x148, "WARPSYNC"}, {0x14d, "EXIT"},      {0x150, "RET"},       {0x155, "BMOV"},
    {0x15c, "BPT"},      {0x15d, "NANOSLEEP"}, {0x180, "LD"},        {0x181, "LDG"},
    {0x182, "LDC"},      {0x183, "LDL"},       {0x184, "LDS"},       {0x186, "STG"},
    {0x187, "STL"},      {0x188, "STS"},       {0x189, "SHFL"},      {0x18c, "ATOMS"},
    {0x18d, "ATOMS"},    {0x18e, "RED"},       {0x18f, "CCTL"},      {0x192, "MEMBAR"},
    {0x1a1, "MATCH"},    {0x1a3, "ATOMG"},     {0x1a6, "RED"},       {0x1a7, "SYNCS"},
    {0x1a8, "ATOMG"},    {0x1a9, "ATOMG"},     {0x1ab, "ERRBAR"},    {0x1ac, "LDCU"},
    {0x1ae, "LDGSTS"},   {0x1af, "LDGDEPBAR"}, {0x1b4, "UTMALDG"},   {0x1ba, "UBLKCP"},
    {0x1c3, "S2UR"},     {0x1c4, "REDUX"},     {0x1c5, "WARPGROUP"}, {0x1c7, "UCGABAR"},
    {0x1ea, "UTCMMA"},   {0x1f0, "HGMMA"},     {0x1f1, "IGMMA"},     {0x1f3, "QGMMA"},
});
static_assert(std::is_sorted(kTable.begin(), kTable.end()));

}  // namespace

std::string opcode_name(std::uint16_t opcode) {
  const std::uint16_t operation = opcode & 0x1ff;
  const auto row = std::find_if(kTable.begin(), kTable.end(),
                                [&](const Row& r) { return r.first == operation; });
  if (row != kTable.end()) {
    return std::string(row->second);
  }
  std::array<char, 8> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "0x%03x", opcode & 0xfffU));
  return text.data();
}

}  // namespace assay::sass

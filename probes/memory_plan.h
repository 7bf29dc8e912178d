// SPDX-License-Identifier: Apache-2.0
// How much memory must a memory probe touch, and how many bytes does one call of each kernel count?
#pragma once

#include <cstdint>
#include <optional>

namespace assay {

/// Threads in a block of the DRAM kernels, 16-byte loads that one of their threads has in flight,
/// and 4-byte gathers likewise.
inline constexpr int kStreamThreads = 256;
inline constexpr int kReadsPerThread = 4;
inline constexpr int kGathersPerThread = 16;
/// 16-byte parts of rows that a thread gathers at once.
inline constexpr int kRowGathersPerThread = 8;

/// A block of the bulk-copy read: chunks of 8 KiB, all of them under way at once.
inline constexpr int kBulkThreads = 128;
inline constexpr int kBulkChunks = 4;
inline constexpr int kBulkChunkVectors = 512;
inline constexpr std::uint64_t kBulkTileBytes = std::uint64_t{kBulkChunks} * kBulkChunkVectors * 16;

/// Bytes of one DRAM stream (three are allocated): at least eight times the L2, so that hits cannot
/// lift the figure, else what a call of a millisecond needs, at most 4 GiB and a quarter of
/// `free_bytes`; whole 2 MiB pages. `peak_bytes_per_s` of 0 means not known. nullopt when the free
/// memory or an unknown (0) L2 size does not allow it.
std::optional<std::uint64_t> dram_stream_bytes(std::uint64_t free_bytes, std::uint64_t l2_bytes,
                                               double peak_bytes_per_s);

/// Bytes of the ring whose every step misses the L2: 1 GiB, or at least eight times the L2 and at
/// most half of `free_bytes`. nullopt when that cannot be had.
std::optional<std::uint64_t> dram_ring_bytes(std::uint64_t free_bytes, std::uint64_t l2_bytes);

/// Bytes swept by the L2 kernels: a quarter of the L2, at least 512 KiB, at most 16 MiB (an L2 made
/// of two halves keeps that in one) and half the L2. nullopt when the L2 size is unknown (0).
std::optional<std::uint64_t> l2_set_bytes(std::uint64_t l2_bytes);

/// Bytes of the ring that stays in the L2: 2 MiB or a quarter of it; nullopt as above.
std::optional<std::uint64_t> l2_ring_bytes(std::uint64_t l2_bytes);

enum class StreamKernel { read, write, copy, triad, gather_4b, gather_16b, gather_128b };

/// Rows of `row_bytes` (4, 16 or 128) that one call gathers from a stream of `stream_bytes`: one in
/// sixteen words, one in eight vectors or every second line, whole blocks of them.
std::uint64_t gathers_per_call(std::uint64_t stream_bytes, std::uint64_t row_bytes);

/// Useful bytes, read plus written, of one call over streams of `stream_bytes` each. A gather
/// counts the bytes it wants, not the sectors it moves.
std::uint64_t bytes_per_call(StreamKernel kernel, std::uint64_t stream_bytes);

/// Steps of each of `blocks` blocks, `step_bytes` each, that together sweep `set_bytes` at least
/// `passes` times.
std::uint32_t steps_per_block(std::uint64_t set_bytes, std::uint64_t step_bytes,
                              std::uint32_t blocks, std::uint32_t passes);

}  // namespace assay

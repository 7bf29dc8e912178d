// SPDX-License-Identifier: Apache-2.0
// Which hosts were to report, where do they stand, and how many GPUs has each?
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay {

struct ExpectedHost {
  std::string rack;         ///< empty: not said
  std::optional<int> gpus;  ///< nullopt: at least one
};

/// By name. From a text file: one host a line, "name [rack [gpus]]", '#' begins a comment, a rack
/// of "-" is none. Throws DataError with file and line on a host named twice (also as a short and a
/// full name, or in other letters), on a count that is none, on more words, and on an empty list.
std::map<std::string, ExpectedHost> read_expected_hosts(const std::filesystem::path& file);

/// Pairs of different spellings that mean one host: other letters ("N1", "n1"), or a short name and
/// the same with a domain ("n1", "n1.site"). Two domains are two hosts.
std::vector<std::pair<std::string, std::string>> hosts_named_twice(
    const std::vector<std::string>& names);

}  // namespace assay

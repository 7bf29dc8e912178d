// SPDX-License-Identifier: Apache-2.0
// How is a judged file told to a person and to a machine, one line each?
#include <nlohmann/json.hpp>

#include "dossiers/json/json_writer.h"
#include "invariants/columns.h"
#include "invariants/judge_folder.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

/// No more than one line, whatever a file's name or an error holds.
std::string one_line(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr unsigned char kBlank = 0x20;
    constexpr unsigned char kDelete = 0x7f;
    if (byte < kBlank || byte == kDelete) c = '?';
  }
  return text;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string why(const JudgedFile& judged) {
  if (!judged.problem.empty()) return judged.problem;
  std::string text;
  std::size_t more = 0;
  if (!judged.notable.empty()) {
    text = judged.notable.front().id + ": " + judged.notable.front().reason;
    more = judged.notable.size() - 1 + judged.missing.size();
  } else if (!judged.missing.empty()) {
    text = judged.missing.front() + " is missing";
    more = judged.missing.size() - 1;
  }
  return more == 0 ? text : text + "; " + std::to_string(more) + " more";
}

}  // namespace

std::string judged_line(const JudgedFile& judged) {
  constexpr std::size_t kWord = 16;
  constexpr std::size_t kRun = 24;
  std::string line =
      padded(judged.problem.empty() ? std::string(to_string(judged.verdict)) : "unreadable", kWord);
  if (judged.problem.empty()) {
    line += padded(judged.run_id, kRun) + "  " + judged.device + ", " +
            std::string(to_string(judged.level)) + "  ";
  }
  line += judged.file.string();
  const std::string reason = why(judged);
  if (!reason.empty()) line += "  " + reason;
  return one_line(line) + "\n";
}

std::string judged_json(const JudgedFile& judged) {
  Json json;
  json["kind"] = "judged";
  json["file"] = judged.file.string();
  if (!judged.problem.empty()) {
    json["verdict"] = nullptr;
    json["problem"] = judged.problem;
    return json_line(json);
  }
  json["verdict"] = to_string(judged.verdict);
  json["provisional"] = judged.provisional;
  json["run_id"] = judged.run_id;
  json["device"] = judged.device;
  json["driver"] = judged.driver;
  json["level"] = to_string(judged.level);
  json["notable"] = Json::array();
  for (const Verdict& verdict : judged.notable) {
    json["notable"].push_back({{"id", verdict.id},
                               {"outcome", to_string(verdict.outcome)},
                               {"margin", number_or_null(verdict.margin)},
                               {"reason", verdict.reason}});
  }
  json["missing"] = judged.missing;
  return json_line(json);
}

std::string totals_line(const FolderTotals& totals) {
  std::size_t judged = 0;
  std::string text;
  for (const auto& [outcome, count] : totals.verdicts) {
    judged += count;
    text +=
        (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(to_string(outcome));
  }
  std::string line = std::to_string(judged) + (judged == 1 ? " dossier" : " dossiers");
  if (!text.empty()) line += ": " + text;
  if (totals.unreadable > 0) line += "; " + std::to_string(totals.unreadable) + " cannot be read";
  return line + "\n";
}

std::string totals_json(const FolderTotals& totals) {
  Json json;
  json["kind"] = "judged_folder";
  json["exit_code"] = exit_code(totals);
  json["verdicts"] = Json::object();
  for (const auto& [outcome, count] : totals.verdicts) {
    json["verdicts"][std::string(to_string(outcome))] = count;
  }
  json["unreadable"] = totals.unreadable;
  return json_line(json);
}

}  // namespace assay

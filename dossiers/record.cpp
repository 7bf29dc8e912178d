// SPDX-License-Identifier: Apache-2.0
// How does a run become a dossier that lies in the repository: recorded for replay, or pinned?
#include "dossiers/record.h"

#include <charconv>
#include <chrono>
#include <ctime>
#include <stdexcept>

namespace assay {
namespace {

/// Digits `from` to `from + count` of the text as a number; -1 when they are none.
int number_at(const std::string& text, std::size_t from, std::size_t count) {
  int number = -1;
  const char* begin = text.data() + from;
  const auto [end, error] = std::from_chars(begin, begin + count, number);
  return error == std::errc() && end == begin + count ? number : -1;
}

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
    return false;
  }
  const int year = number_at(text, 0, 4);
  const int month = number_at(text, 5, 2);
  const int day = number_at(text, 8, 2);
  if (year < 0 || month < 0 || day < 0) {
    return false;
  }
  return std::chrono::year_month_day(std::chrono::year(year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

bool is_time(const std::string& text) {
  if (text.size() != 10 || text[0] != 'T' || text[3] != ':' || text[6] != ':' || text[9] != 'Z') {
    return false;
  }
  const int hour = number_at(text, 1, 2);
  const int minute = number_at(text, 4, 2);
  const int second = number_at(text, 7, 2);
  return hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second <= 60;
}

}  // namespace

std::string utc_from_date(const std::string& date) {
  if (is_date(date)) {
    return date + "T00:00:00Z";
  }
  if (date.size() == 20 && is_date(date.substr(0, 10)) && is_time(date.substr(10))) {
    return date;
  }
  throw std::invalid_argument("\"" + date +
                              "\" is no date, want 2026-11-30 or 2026-11-30T02:14:07Z");
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  if (std::strftime(text, sizeof text, "%Y-%m-%d", &parts) == 0) {
    throw std::runtime_error("the system clock gives no date");
  }
  return text;
}

Dossier load_recordable(const std::filesystem::path& source) {
  if (!std::filesystem::is_directory(source)) {
    return read_dossier(source, true);
  }
  const std::filesystem::path merged = source / "dossier.json";
  return std::filesystem::exists(merged) ? read_dossier(merged, true) : merge_run(source);
}

void record_dossier(const Dossier& dossier, const std::filesystem::path& out) {
  const std::filesystem::path file = out / "dossier.json";
  if (std::filesystem::exists(file)) {
    throw std::runtime_error(file.string() + ": exists; a recording is never overwritten");
  }
  write_dossier(dossier, file);
}

Dossier pin_dossier(const Dossier& dossier, const Pinned& approval) {
  if (approval.by.empty() || approval.why.empty()) {
    throw std::invalid_argument("a pinned dossier says who approved it and why");
  }
  if (dossier.pinned) {
    throw std::invalid_argument("the dossier was pinned by " + dossier.pinned->by + " on " +
                                dossier.pinned->utc + "; pin the run that it came from");
  }
  Dossier pinned = redact(dossier);
  pinned.pinned = Pinned{approval.by, approval.why, utc_from_date(approval.utc)};
  pinned.sample_digests.clear();
  for (auto& [name, entry] : pinned.entries) {
    for (auto& [key, fact] : entry.facts) {
      fact.raw.clear();
    }
  }
  return pinned;
}

}  // namespace assay

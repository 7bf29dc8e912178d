// SPDX-License-Identifier: Apache-2.0
// What of a dossier may be published? Facts and the kind of device, not which one and whose.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "dossiers/dossier.h"

namespace assay {
namespace {

constexpr std::string_view kHashPrefix = "sha256:";
constexpr std::string_view kRedacted = "redacted";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Replaces `secret` where it stands alone: a process called "a" must not eat every letter a.
void replace_words(std::string& text, std::string_view secret, std::string_view with) {
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    const std::size_t end = at + secret.size();
    const bool alone =
        (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (alone) {
      text.replace(at, secret.size(), with);
    }
    at += alone ? with.size() : 1;
  }
}

/// Absolute paths name users and hosts: keep the last part only. A lone slash is a division.
std::string without_folders(const std::string& text) {
  constexpr std::string_view kAround = " \t\n\"'():,;=";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kAround, at), text.size());
    const std::string_view word(text.data() + at, end - at);
    if (word.size() > 1 && word.front() == '/' && word.find('/', 1) != std::string_view::npos) {
      result += word.substr(word.rfind('/') + 1);
    } else {
      result += word;
    }
    if (end < text.size()) {
      result += text[end];
    }
    at = end + 1;
  }
  return result;
}

/// Replaces what names this one device, its neighbours' processes and the machine's folders.
class Scrubber {
 public:
  explicit Scrubber(const Dossier& dossier) {
    add(dossier.device.uuid);
    add(dossier.device.pci_bus_id);
    for (const auto& [name, record] : dossier.probes) {
      for (const Process& process : conditions_of(record).other_processes) {
        add(process.name);
      }
    }
    // A longer secret may hold a shorter one.
    std::sort(secrets_.begin(), secrets_.end(),
              [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  }

  void scrub(std::string& text) const {
    for (const std::string& secret : secrets_) {
      replace_words(text, secret, kRedacted);
    }
    text = without_folders(text);
  }

  void scrub(Fact& fact) const {
    scrub(fact.method);
    if (auto* text = std::get_if<std::string>(&fact.value)) {
      scrub(*text);
    }
    if (fact.reason && fact.reason->kind == NullKind::contended) {
      fact.reason->detail = kRedacted;  // names the other processes
    } else if (fact.reason) {
      scrub(fact.reason->detail);
    }
  }

 private:
  static Conditions conditions_of(const ProbeRecord& record) {
    return record.conditions.value_or(Conditions{});
  }
  void add(const std::string& secret) {
    if (!secret.empty() && secret.rfind(kHashPrefix, 0) != 0) {
      secrets_.push_back(secret);
    }
  }
  std::vector<std::string> secrets_;
};

void redact_record(ProbeRecord& record, const Scrubber& scrubber) {
  record.stderr_tail.clear();
  if (record.status == ProbeStatus::inconclusive) {
    record.reason = kRedacted;  // names the processes that were in the way
  }
  scrubber.scrub(record.reason);
  if (record.conditions) {
    for (Process& process : record.conditions->other_processes) {
      process = {0, std::string(kRedacted)};
    }
  }
}

}  // namespace

std::string hashed_uuid(const std::string& uuid) {
  if (uuid.rfind(kHashPrefix, 0) == 0) {
    return uuid;
  }
  return std::string(kHashPrefix) + sha256_hex(uuid).substr(0, 16);
}

Dossier redact(Dossier dossier) {
  const Scrubber scrubber(dossier);
  dossier.redacted = true;
  dossier.device.uuid = hashed_uuid(dossier.device.uuid);
  dossier.device.pci_bus_id.clear();
  for (auto& [name, record] : dossier.probes) {
    redact_record(record, scrubber);
  }
  for (auto& [name, entry] : dossier.entries) {
    scrubber.scrub(entry.note);
    for (auto& [key, fact] : entry.facts) {
      scrubber.scrub(fact);
    }
  }
  return dossier;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// What is this run, and how did its probes end? run.json and evidence/<probe>.exit.json.
#include <limits>

#include <nlohmann/json.hpp>

#include "dossiers/dossier.h"
#include "dossiers/json/document.h"
#include "dossiers/json/identity_json.h"
#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

Run run_from(const JsonNode& top) {
  check_schema(top, "run");
  top.reject_unknown_keys({"schema", "kind", "run_id", "suite", "created_utc", "level", "device",
                           "probes", "parent_pid", "parent_start"});
  Run run;
  run.run_id = top.at("run_id").text();
  run.suite = read_suite(top.at("suite"));
  run.created_utc = read_utc(top.at("created_utc"));
  run.level = read_level(top.at("level"));
  run.device = read_device(top.at("device"));
  run.probes = top.at("probes").strings();
  run.parent_pid = top.at("parent_pid").integer(0);
  run.parent_start = top.at("parent_start").unsigned_integer();
  return run;
}

ProbeExit exit_from(const JsonNode& top) {
  check_schema(top, "exit");
  top.reject_unknown_keys({"schema", "kind", "run_id", "suite", "probe", "exit_code", "signal",
                           "timed_out", "stderr_tail", "seconds"});
  ProbeExit ended;
  ended.suite = read_suite(top.at("suite"));
  ended.run_id = top.at("run_id").text();
  ended.probe = top.at("probe").text();
  if (const JsonNode code = top.at("exit_code"); !code.is_null()) {
    ended.exit_code = static_cast<int>(code.integer(0, 255));
  }
  if (const JsonNode signal = top.at("signal"); !signal.is_null()) {
    ended.signal = static_cast<int>(signal.integer(1, 127));
  }
  ended.timed_out = top.at("timed_out").boolean();
  ended.stderr_tail = top.at("stderr_tail").string();
  ended.seconds = read_size(top.at("seconds"));
  return ended;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

void write_run(const Run& run, const std::filesystem::path& file) {
  Json json = document_head("run", run.run_id, run.suite);
  json["created_utc"] = run.created_utc;
  json["level"] = to_string(run.level);
  json["device"] = to_json(run.device);
  json["probes"] = run.probes;
  json["parent_pid"] = run.parent_pid;
  json["parent_start"] = run.parent_start;
  const std::string text = json_text(json);
  static_cast<void>(run_from(parse_json(text, file.string())));  // what is written re-reads
  write_file_atomically(file, text);
}

Run read_run(const std::filesystem::path& file) {
  return run_from(read_json(file));
}

void write_probe_exit(const ProbeExit& ended, const std::filesystem::path& file) {
  Json json = document_head("exit", ended.run_id, ended.suite);
  json["probe"] = ended.probe;
  json["exit_code"] = or_null(ended.exit_code);
  json["signal"] = or_null(ended.signal);
  json["timed_out"] = ended.timed_out;
  json["stderr_tail"] = ended.stderr_tail;
  json["seconds"] = number_or_null(ended.seconds);
  const std::string text = json_text(json);
  static_cast<void>(exit_from(parse_json(text, file.string())));  // what is written re-reads
  write_file_atomically(file, text);
}

ProbeExit read_probe_exit(const std::filesystem::path& file) {
  return exit_from(read_json(file));
}

}  // namespace assay

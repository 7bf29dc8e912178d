// SPDX-License-Identifier: Apache-2.0
// Which edits must break an invariant, and do they cover its edges?
#include <algorithm>
#include <string>

#include "invariants/catalog_read.h"

namespace assay::detail {
namespace {

/// "Within 1.2 x of the margin": an edit farther from the bound than this tests no edge.
constexpr double kNear = 0.2;

Value read_value(const JsonNode& node) {
  switch (node.kind()) {
    case JsonKind::boolean:
      return node.boolean();
    case JsonKind::integer:
      return node.integer();
    case JsonKind::real:
      return node.number();
    case JsonKind::string:
      return node.string();
    default:
      node.fail("want a number, a text or true/false");
  }
}

Edit read_move(const JsonNode& node) {
  node.reject_unknown_keys({"move", "past", "inside", "by"});
  Edit edit;
  edit.kind = EditKind::move;
  edit.path = read_path(node.at("move"));
  const auto past = node.find("past");
  const auto inside = node.find("inside");
  if (past.has_value() == inside.has_value()) node.fail("needs one of \"past\" and \"inside\"");
  edit.inside = inside.has_value();
  const JsonNode side = edit.inside ? *inside : *past;
  if (side.string() != "low" && side.string() != "high") side.fail("want \"low\" or \"high\"");
  edit.low = side.string() == "low";
  edit.by = read_positive(node.at("by"));
  return edit;
}

Edit read_scale(const JsonNode& node) {
  node.reject_unknown_keys({"scale", "by"});
  Edit edit;
  edit.kind = EditKind::scale;
  edit.path = read_path(node.at("scale"));
  edit.by = read_positive(node.at("by"));
  return edit;
}

Edit read_swap(const JsonNode& node) {
  node.reject_unknown_keys({"swap"});
  const auto items = node.at("swap").items();
  if (items.size() != 2) node.at("swap").fail("want two paths");
  Edit edit;
  edit.kind = EditKind::swap;
  edit.path = read_path(items[0]);
  edit.other = read_path(items[1]);
  return edit;
}

Edit read_drop(const JsonNode& node) {
  node.reject_unknown_keys({"drop"});
  Edit edit;
  edit.kind = EditKind::drop;
  edit.path = read_path(node.at("drop"));
  return edit;
}

Edit read_null(const JsonNode& node) {
  node.reject_unknown_keys({"null", "reason"});
  Edit edit;
  edit.kind = EditKind::null;
  edit.path = read_path(node.at("null"));
  edit.text = node.at("reason").text();
  if (null_reason_from(edit.text).kind == NullKind::unstated) {
    node.at("reason").fail("is no known reason; want one such as \"contended: pid 4711\"");
  }
  return edit;
}

Edit read_spread(const JsonNode& node) {
  node.reject_unknown_keys({"spread", "to"});
  Edit edit;
  edit.kind = EditKind::spread;
  edit.path = read_path(node.at("spread"));
  edit.by = read_positive(node.at("to"));
  return edit;
}

Edit read_set(const JsonNode& node) {
  node.reject_unknown_keys({"set"});
  Edit edit;
  edit.kind = EditKind::set;
  for (const auto& [path, value] : node.at("set").members()) edit.to[path] = read_value(value);
  if (edit.to.empty()) node.at("set").fail("is empty, want values by path");
  return edit;
}

Edit read_confidence(const JsonNode& node) {
  node.reject_unknown_keys({"confidence", "to"});
  Edit edit;
  edit.kind = EditKind::confidence;
  edit.path = read_path(node.at("confidence"));
  edit.text = node.at("to").string();
  if (edit.text != "low" && edit.text != "medium" && edit.text != "high") {
    node.at("to").fail("want \"low\", \"medium\" or \"high\"");
  }
  return edit;
}

Edit read_contended(const JsonNode& node) {
  node.reject_unknown_keys({"contended"});
  Edit edit;
  edit.kind = EditKind::contended;
  edit.path = node.at("contended").text();
  return edit;
}

Edit read_device(const JsonNode& node) {
  node.reject_unknown_keys({"device"});
  const JsonNode device = node.at("device");
  device.reject_unknown_keys({"cc", "name", "mig"});
  Edit edit;
  edit.kind = EditKind::device;
  for (const auto& [key, value] : device.members()) edit.to[key] = read_value(value);
  if (edit.to.empty()) device.fail("is empty, want \"cc\", \"name\" or \"mig\"");
  if (const auto cc = device.find("cc")) {
    if (cc->text().find('.') == std::string::npos) cc->fail("want a capability such as \"9.0\"");
  }
  if (const auto name = device.find("name")) name->text();
  if (const auto mig = device.find("mig")) mig->boolean();
  return edit;
}

Edit read_edit(const JsonNode& node) {
  struct Reader {
    std::string_view key;
    Edit (*read)(const JsonNode&);
  };
  constexpr Reader kReaders[] = {
      {"move", read_move},
      {"scale", read_scale},
      {"swap", read_swap},
      {"drop", read_drop},
      {"null", read_null},
      {"spread", read_spread},
      {"set", read_set},
      {"confidence", read_confidence},
      {"contended", read_contended},
      {"device", read_device},
  };
  for (const Reader& reader : kReaders) {
    if (node.find(reader.key)) return reader.read(node);
  }
  node.fail(
      "is no known edit; want move, scale, swap, drop, null, spread, set, confidence, contended or "
      "device");
}

Break read_break(const JsonNode& node) {
  node.reject_unknown_keys({"name", "edit", "waived", "expect"});
  Break mutant;
  mutant.name = node.at("name").text();
  mutant.edit = read_edit(node.at("edit"));
  if (const auto waived = node.find("waived")) mutant.waived = waived->boolean();
  const JsonNode expect = node.at("expect");
  const auto outcome = outcome_from(expect.string());
  if (!outcome) {
    expect.fail("is \"" + expect.string() +
                "\", want pass, fail, inconclusive, not_applicable, no_evidence or waived");
  }
  mutant.expect = *outcome;
  return mutant;
}

/// An edit that puts the judged quantity right beside a bound. Exact claims step by one.
bool is_near(const Edit& edit, const Check& check) {
  if (edit.kind != EditKind::move) return false;
  return check.kind == CheckKind::equals ? edit.by == 1.0 : edit.by <= kNear;
}

bool is_outside(const Break& mutant, const Check& check) {
  return mutant.expect == Outcome::fail && is_near(mutant.edit, check) && !mutant.edit.inside;
}

bool is_inside(const Break& mutant, const Check& check) {
  if (mutant.expect != Outcome::pass) return false;
  if (check.kind == CheckKind::equals) return mutant.edit.kind == EditKind::set;
  return is_near(mutant.edit, check) && mutant.edit.inside;
}

bool is_removal(const Break& mutant) {
  return mutant.expect == Outcome::no_evidence && mutant.edit.kind == EditKind::drop;
}

}  // namespace

std::vector<Break> read_breaks(const JsonNode& node, const Check& check) {
  std::vector<Break> breaks;
  for (const JsonNode& item : node.items()) breaks.push_back(read_break(item));
  if (breaks.empty()) node.fail("is empty; list at least one edit that must break the invariant");
  const auto any = [&breaks](const auto& wanted) {
    return std::any_of(breaks.begin(), breaks.end(), wanted);
  };
  if (!any([&check](const Break& mutant) { return is_outside(mutant, check); })) {
    node.fail(
        "has no edit just outside: want {\"move\": path, \"past\": bound, \"by\": <= 0.2} "
        "(by 1 for equals) with expect fail");
  }
  if (!any([&check](const Break& mutant) { return is_inside(mutant, check); })) {
    node.fail(
        "has no edit just inside: want {\"move\": path, \"inside\": bound, \"by\": <= 0.2} "
        "(a \"set\" for equals) with expect pass");
  }
  if (!any(is_removal)) {
    node.fail(
        "has no edit that takes evidence away: want {\"drop\": path} with expect "
        "no_evidence");
  }
  return breaks;
}

}  // namespace assay::detail

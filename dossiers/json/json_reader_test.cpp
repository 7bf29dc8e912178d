// SPDX-License-Identifier: Apache-2.0
// Does anything that is not strict JSON get through, and does each refusal say where?
#include "dossiers/json/json_reader.h"

#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/json/document.h"
#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

/// The message of the DataError that `action` throws; empty when it throws none.
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

std::string parse_refusal(const std::string& text) {
  return refusal([&] { parse_json(text, "f.json"); });
}

TEST(StrictJson, EveryNodeKnowsItsLineAndPath) {
  const JsonNode top =
      parse_json("{\n  \"a\": 1\n,\n\"b\": [\n 2,\n {\"c\": \"x\"}]\n}\n", "f.json");
  EXPECT_EQ(top.line(), 1);
  EXPECT_EQ(top.path(), "top level");
  EXPECT_EQ(top.at("a").line(), 2);
  EXPECT_EQ(top.at("b").line(), 4);
  const std::vector<JsonNode> items = top.at("b").items();
  EXPECT_EQ(items.at(0).line(), 5);
  EXPECT_EQ(items.at(1).line(), 6);
  EXPECT_EQ(items.at(1).at("c").path(), "b[1].c");
}

TEST(StrictJson, MembersKeepTheFilesOrder) {
  const auto members = parse_json(R"({"z":1,"a":2,"m":3})", "f").members();
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0].first, "z");
  EXPECT_EQ(members[2].first, "m");
}

TEST(StrictJson, TruncationIsNamedAtEveryByte) {
  const std::string text = R"({"a": [1, {"b": "cd", "e": true}], "f": -1.5e3})";
  for (std::size_t length = 1; length < text.size(); ++length) {
    const std::string message = parse_refusal(text.substr(0, length));
    EXPECT_NE(message.find("truncated"), std::string::npos) << length << ": " << message;
  }
  EXPECT_NE(parse_refusal("").find("empty"), std::string::npos);
  EXPECT_NE(parse_refusal(" \n").find("empty"), std::string::npos);
  EXPECT_EQ(parse_refusal(text), "");
}

TEST(CaseB03, DuplicateKeyIsRefusedWithLine) {
  EXPECT_EQ(parse_refusal("{\"device\": {\"sm_count\": 132,\n \"sm_count\": 144}}"),
            "f.json:2: device.sm_count: duplicate key, first on line 1; want each key once");
}

TEST(CaseB03, NumbersThatAreNoneOrOutOfRangeAreRefused) {
  EXPECT_NE(parse_refusal("{\n\"a\":1e999}").find("f.json:2: top level: number out of range"),
            std::string::npos)
      << parse_refusal("{\n\"a\":1e999}");
  EXPECT_NE(parse_refusal("{\"a\":-1e999}").find("out of range"), std::string::npos);
  EXPECT_NE(parse_refusal("{\"a\":1e-999}").find("out of range"), std::string::npos);
  EXPECT_NE(parse_refusal("{\"a\":18446744073709551616}").find("out of range"), std::string::npos);
  for (const char* number : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"}) {
    const std::string message = parse_refusal("{\"a\":" + std::string(number) + "}");
    EXPECT_NE(message.find("NaN and Inf"), std::string::npos) << number << ": " << message;
  }
  EXPECT_EQ(parse_refusal(R"({"a":0e5,"b":-0.0,"c":5e-324})"), "");
}

TEST(CaseB03, TrailingCommaAndTrailingGarbageAreRefused) {
  EXPECT_EQ(parse_refusal("{\"sm_count\":132,\n}"),
            "f.json:2: top level: not JSON: trailing comma, want none before a closing bracket");
  EXPECT_NE(parse_refusal("[1, ]").find("trailing comma"), std::string::npos);
  EXPECT_NE(parse_refusal("{} {}").find("something follows"), std::string::npos);
  EXPECT_NE(parse_refusal("{}x").find("something follows"), std::string::npos);
  for (const char* text : {"{'a':1}", "{a:1}", "[01]", "[+1]", "[.5]", "[1.]", "[0x1]", "/**/1",
                           "[\"\x01\"]", "[\"\xAE\"]", "[\"\\q\"]", "{\"a\" 1}"}) {
    EXPECT_NE(parse_refusal(text).find("not JSON"), std::string::npos) << text;
  }
}

TEST(CaseB03, NestingHasABoundAndAMessageOfOneLine) {
  const auto nested = [](int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') + "1" +
           std::string(static_cast<std::size_t>(levels), ']');
  };
  EXPECT_EQ(parse_refusal(nested(64)), "");
  const std::string message = parse_refusal(nested(100000));
  EXPECT_NE(message.find("nested too deep, want at most 64 levels"), std::string::npos);
  EXPECT_LT(message.size(), 400U);
}

TEST(CaseB03, ByteOrderMarkIsAccepted) {
  EXPECT_EQ(parse_json("\xEF\xBB\xBF{\"a\":1}", "f").at("a").integer(), 1);
}

TEST(CaseB03, IntegersAreIntegersAndNothingElse) {
  const JsonNode top = parse_json(
      R"({"whole":132.0,"part":132.9,"text":"132","flag":true,"minus":-1,"none":null,"big":1e300})",
      "f.json");
  EXPECT_EQ(top.at("whole").integer(), 132);
  EXPECT_EQ(top.at("whole").unsigned_integer(), 132U);
  EXPECT_EQ(top.at("minus").integer(), -1);
  const auto why = [&](const char* key) {
    return refusal([&] { static_cast<void>(top.at(key).unsigned_integer()); });
  };
  EXPECT_EQ(why("part"), "f.json:1: part: is not an integer, want a whole number");
  EXPECT_NE(why("text").find("not a number"), std::string::npos);
  EXPECT_NE(why("flag").find("not a number"), std::string::npos);
  EXPECT_NE(why("minus").find("negative"), std::string::npos);
  EXPECT_NE(why("none").find("not a number"), std::string::npos);
  EXPECT_NE(why("big").find("not an integer"), std::string::npos);
}

TEST(StrictJson, SixtyFourBitIntegersNeverPassThroughADouble) {
  const JsonNode top = parse_json(
      "[9223372036854775792, 9223372036854775794, 18446744073709551615, -9223372036854775808]",
      "f.json");
  const std::vector<JsonNode> items = top.items();
  EXPECT_EQ(items[0].integer(), 9223372036854775792);
  EXPECT_EQ(items[1].integer(), 9223372036854775794);
  EXPECT_EQ(items[2].unsigned_integer(), 18446744073709551615U);
  EXPECT_THROW(static_cast<void>(items[2].integer()), DataError);
  EXPECT_EQ(items[3].integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(static_cast<void>(items[3].integer(-5)), DataError);
  EXPECT_THROW(static_cast<void>(items[0].integer(0, 10)), DataError);
  EXPECT_THROW(static_cast<void>(items[0].integer(-10, -5)), DataError);
}

TEST(StrictJson, WrongKindsMissingAndUnknownKeysAreRefused) {
  const JsonNode top = parse_json("{\"a\": {\n\"b\": [1], \"c\": \"\"}}", "f.json");
  const JsonNode a = top.at("a");
  EXPECT_EQ(refusal([&] { static_cast<void>(a.at("x")); }),
            "f.json:1: a: has no key \"x\", which is required");
  EXPECT_EQ(refusal([&] { a.reject_unknown_keys({"b"}); }),
            "f.json:2: a.c: unknown key, want one of: b");
  EXPECT_EQ(refusal([&] { static_cast<void>(a.at("b").string()); }),
            "f.json:2: a.b: is an array, want a string");
  EXPECT_EQ(refusal([&] { static_cast<void>(a.at("c").text()); }),
            "f.json:2: a.c: is empty, want text");
  EXPECT_THROW(static_cast<void>(a.at("b").boolean()), DataError);
  EXPECT_THROW(static_cast<void>(a.at("b").number()), DataError);
  EXPECT_THROW(static_cast<void>(a.at("b").members()), DataError);
  EXPECT_THROW(static_cast<void>(a.at("b").strings()), DataError);
  EXPECT_THROW(static_cast<void>(a.at("c").items()), DataError);
  EXPECT_EQ(top.find("zz"), std::nullopt);
}

TEST(StrictJson, AFileThatCannotBeReadIsNamed) {
  EXPECT_NE(refusal([] { read_json("/nonexistent/x.json"); }).find("/nonexistent/x.json"),
            std::string::npos);
  EXPECT_NE(refusal([] { read_json("/"); }).find("folder"), std::string::npos);
}

TEST(Schema, NewerMajorOrMinorIsRefusedNamingBoth) {
  const auto why = [](const std::string& version) {
    const JsonNode document =
        parse_json(R"({"schema": ")" + version + R"(", "kind": "run"})", "f.json");
    return refusal([&] { check_schema(document, "run"); });
  };
  EXPECT_EQ(why("1.0.0"), "");
  EXPECT_EQ(why("1.0.9"), "");
  for (const char* version : {"2.0.0", "1.1.0", "0.9.0"}) {
    EXPECT_NE(why(version).find(version), std::string::npos) << version;
    EXPECT_NE(why(version).find("1.0.0"), std::string::npos) << version;
  }
  for (const char* version : {"", "1", "1.0", "1.0.", "1.0.0.0", "1.0.x", "-1.0.0", "1.0.0 "}) {
    EXPECT_NE(why(version), "") << version;
  }
  const JsonNode other = parse_json(R"({"schema": "1.0.0", "kind": "dossier"})", "f.json");
  EXPECT_NE(refusal([&] { check_schema(other, "run"); }).find("want \"run\""), std::string::npos);
}

TEST(CaseB03, TheWriterReplacesBytesAndNeverWritesNan) {
  nlohmann::ordered_json document;
  document["name"] = "Card\xAE";
  document["nan"] = number_or_null(std::numeric_limits<double>::quiet_NaN());
  document["third"] = number_or_null(1.0 / 3.0);
  const std::string text = json_text(document);
  EXPECT_EQ(text.back(), '\n');
  const JsonNode back = parse_json(text, "f");
  EXPECT_EQ(back.at("name").string(), "Card\xEF\xBF\xBD");
  EXPECT_TRUE(back.at("nan").is_null());
  EXPECT_EQ(back.at("third").number(), 1.0 / 3.0);
}

}  // namespace
}  // namespace assay

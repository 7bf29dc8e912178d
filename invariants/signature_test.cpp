// SPDX-License-Identifier: Apache-2.0
// Does a signature hold for the bytes and the people that it was made by, and for nothing else?
#include "invariants/plan/signature.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "invariants/certificate.h"
#include "invariants/test_support.h"

namespace {

using assay::test::Ended;

std::string quoted(const std::filesystem::path& file) {
  return "'" + file.string() + "'";
}

/// A run's folder with a certificate, a throw-away key and the list of who may sign.
class SignatureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = assay::test::fresh_dir();
    std::filesystem::copy_file(assay::test::example_file(), dir_ / "dossier.json");
    const Ended judged = assay::test::run_verb_program(
        "judge", quoted(dir_ / "dossier.json") + " --pinned " + quoted(dir_ / "dossier.json") +
                     " --json > " + quoted(certificate()));
    ASSERT_EQ(judged.code, 0) << judged.out;
    make_key("key");
    allow("key", "fleet@example.org");
    assay::sign_file(certificate(), dir_ / "key");
  }
  std::filesystem::path certificate() const { return dir_ / "certificate.json"; }
  void make_key(const std::string& name) {
    const Ended made = assay::test::run("ssh-keygen -q -t ed25519 -N '' -f " + quoted(dir_ / name));
    ASSERT_EQ(made.code, 0) << made.out;
  }
  void allow(const std::string& key, const std::string& who) {
    const std::string line = who + " " + assay::read_file(dir_ / (key + ".pub"));
    assay::test::write_text(dir_ / "signers", line);
  }
  assay::SignatureCheck check() const {
    return assay::check_signature(certificate(), dir_ / "certificate.json.sig", dir_ / "signers");
  }
  Ended verify() const {
    return assay::test::run_verb_program(
        "judge", "--verify " + quoted(certificate()) + " --signature " +
                     quoted(dir_ / "certificate.json.sig") + " --allowed-signers " +
                     quoted(dir_ / "signers"));
  }
  std::filesystem::path dir_;
};

TEST_F(SignatureTest, AGoodOneNamesWhoSigned) {
  EXPECT_EQ(check().problem, "");
  EXPECT_EQ(check().signer, "fleet@example.org");
  const Ended said = verify();
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_NE(said.out.find("signed by fleet@example.org"), std::string::npos) << said.out;
}

TEST_F(SignatureTest, AnEditedCertificateIsNotWhatWasSigned) {
  const std::string text = assay::read_file(certificate());
  assay::test::write_text(certificate(), text + " ");
  EXPECT_NE(check().problem.find("not what fleet@example.org signed"), std::string::npos)
      << check().problem;
  const Ended said = verify();
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.out.find("signature: not what"), std::string::npos) << said.out;
}

TEST_F(SignatureTest, AnotherKeyIsNobodys) {
  make_key("other");
  allow("other", "fleet@example.org");
  EXPECT_NE(check().problem.find("nobody in"), std::string::npos) << check().problem;
  EXPECT_EQ(verify().code, 1);
}

TEST_F(SignatureTest, AnotherNamespaceIsNoSignatureOfACertificate) {
  std::filesystem::remove(dir_ / "certificate.json.sig");
  const Ended made = assay::test::run("ssh-keygen -q -Y sign -f " + quoted(dir_ / "key") +
                                      " -n git " + quoted(certificate()));
  ASSERT_EQ(made.code, 0) << made.out;
  EXPECT_NE(check().problem, "");
  EXPECT_EQ(check().signer, "");
}

TEST_F(SignatureTest, WhatCannotBeCheckedIsSaidByName) {
  EXPECT_THROW(assay::sign_file(certificate(), dir_ / "absent"), std::runtime_error);
  assay::test::write_text(dir_ / "no_key", "not a key");
  EXPECT_THROW(assay::sign_file(certificate(), dir_ / "no_key"), std::runtime_error);
  std::filesystem::remove(dir_ / "certificate.json.sig");
  const Ended said = verify();
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.out.find("certificate.json.sig: no such file"), std::string::npos) << said.out;
}

TEST_F(SignatureTest, WithoutSshKeygenTheToolIsNamed) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", dir_.c_str(), 1);
  std::string why;
  try {
    check();
  } catch (const std::runtime_error& error) {
    why = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(why.find("no ssh-keygen on PATH"), std::string::npos) << why;
}

}  // namespace

# SPDX-License-Identifier: Apache-2.0
# Copies the package without what running it leaves behind.
file(COPY ${FROM}/assay_report DESTINATION ${TO} FILES_MATCHING
  PATTERN "*.py" PATTERN "*.j2" PATTERN "*.css" PATTERN "__pycache__" EXCLUDE)
file(COPY ${FROM}/requirements.txt DESTINATION ${TO})

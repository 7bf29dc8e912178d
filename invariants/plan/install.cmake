# SPDX-License-Identifier: Apache-2.0
# The install tree has the build tree's shape and can be moved: programs find each other from where
# they lie, and the test graph names them relative to itself.
include(GNUInstallDirs)

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# test-browser.sh again, now that check-long has installed a browser.
exec "${0%/*}/test-browser.sh"

#!/bin/sh
# Install what the tests need from Debian's packages: a browser and a Postgres server. Tests that miss one are skipped.
set -eu
missing=""
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "Not found:$missing. Install them with your system's package manager; the tests that need them are skipped." >&2
    exit 0
fi
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
export DEBIAN_FRONTEND=noninteractive
if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends $missing; } >/dev/null; then
    echo "Could not install:$missing. The tests that need them are skipped." >&2
fi

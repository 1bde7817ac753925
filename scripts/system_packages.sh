#!/bin/sh
# Install from Debian's packages what pip cannot: make and venv, and for the tests a browser and a Postgres server.
# Tests that miss one are skipped, with the reason; with CANDOR_CI set this script fails instead, and so do they.
set -eu

give_up() {
    echo "$1" >&2
    [ -z "${CANDOR_CI:-}" ] || exit 1
    exit 0
}

missing=""
command -v make >/dev/null 2>&1 || missing="$missing make"
"${PYTHON:-python3}" -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing python3-venv"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null 2>&1 ||
    give_up "Not found:$missing. Install them with your system's package manager; tests that need them cannot run."
as_root=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 ||
        give_up "Not found:$missing. As root: apt-get install$missing; tests that need them cannot run."
    as_root="sudo DEBIAN_FRONTEND=noninteractive"
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086  # words are meant to be split
if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends $missing; } >/dev/null; then
    give_up "Could not install:$missing. Tests that need them cannot run."
fi

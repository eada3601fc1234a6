#!/usr/bin/env bash
# Install the programs that the tests run beside Python; where that is not possible, say which
# tests are skipped. With CI=true these tests fail instead of being skipped.
set -u

declare -A without=(
    [chromium]="tests that look at a page in a browser"
    [postgresql]="tests of a database server"
    [zstd]="tests of files packed by zstd itself"
)
missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null ||
    missing+=(postgresql)
command -v zstd >/dev/null || missing+=(zstd)
[ "${#missing[@]}" -eq 0 ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update --quiet=2 || true # an old list may do
    apt-get install --quiet=2 --yes --no-install-recommends "${missing[@]}" && exit 0
fi
for program in "${missing[@]}"; do
    echo "$program is not installed and cannot be installed here: ${without[$program]} are skipped."
done

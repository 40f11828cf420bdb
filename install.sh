#!/bin/sh
# Installs rehearse: fetches the binary of a release, verifies its SHA-256, and puts it in place.
#   sh install.sh [VERSION]
# REHEARSE_REPOSITORY (OWNER/NAME) says whose releases; REHEARSE_URL another place that holds the
# files; REHEARSE_BIN where it goes (~/.local/bin).
set -eu

fail() { echo "install.sh: $1" >&2; exit 1; }

version=${1:-0.1.0}
into=${REHEARSE_BIN:-$HOME/.local/bin}

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-gnu ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *) fail "there is no binary for $(uname -s) on $(uname -m): use deno install jsr:@rehearse/cli" ;;
esac

if [ -n "${REHEARSE_URL:-}" ]; then
  from=$REHEARSE_URL
else
  [ -n "${REHEARSE_REPOSITORY:-}" ] || fail "say whose releases: REHEARSE_REPOSITORY=OWNER/NAME"
  from=https://github.com/$REHEARSE_REPOSITORY/releases/download/v$version
fi

name=rehearse-$version-$target
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for file in "$name" "$name.sha256"; do
  curl -fsSL -o "$file" "$from/$file" || fail "cannot fetch $from/$file"
done

if command -v sha256sum > /dev/null; then
  sha256sum -c "$name.sha256" > /dev/null || fail "$name is not what its checksum says: not installed"
else
  shasum -a 256 -c "$name.sha256" > /dev/null || fail "$name is not what its checksum says: not installed"
fi

mkdir -p "$into"
chmod 755 "$name"
mv "$name" "$into/rehearse"
echo "rehearse $version is at $into/rehearse"

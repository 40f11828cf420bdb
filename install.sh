#!/bin/sh
# Downloads the binary of a release, verifies its SHA-256 and installs it.
#   sh install.sh [VERSION]
# Environment variables:
#   REHEARSE_REPOSITORY  repository of the release, as OWNER/NAME
#   REHEARSE_URL         URL of the folder with the files, instead of the repository
#   REHEARSE_BIN         target folder (default ~/.local/bin)
set -eu

fail() { echo "install.sh: $1" >&2; exit 1; }

version=${1:-0.1.0}
into=${REHEARSE_BIN:-$HOME/.local/bin}

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-gnu ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *) fail "no binary for $(uname -s) on $(uname -m); run rehearse with Deno instead: deno install -g -A -n rehearse jsr:@rehearse/cli" ;;
esac

if [ -n "${REHEARSE_URL:-}" ]; then
  from=$REHEARSE_URL
else
  [ -n "${REHEARSE_REPOSITORY:-}" ] || fail "no repository given; set REHEARSE_REPOSITORY=OWNER/NAME"
  from=https://github.com/$REHEARSE_REPOSITORY/releases/download/v$version
fi

name=rehearse-$version-$target
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for file in "$name" "$name.sha256"; do
  curl -fsSL -o "$file" "$from/$file" || fail "cannot download $from/$file"
done

# Compares only the checksum, not with `sha256sum -c`: the list could name another file.
if command -v sha256sum > /dev/null; then
  actual=$(sha256sum < "$name")
else
  actual=$(shasum -a 256 < "$name")
fi
[ "${actual%% *}" = "$(cut -d ' ' -f 1 < "$name.sha256")" ] ||
  fail "$name does not match its checksum; nothing was installed"

mkdir -p "$into"
chmod 755 "$name"
mv "$name" "$into/rehearse"
echo "Installed rehearse $version at $into/rehearse"

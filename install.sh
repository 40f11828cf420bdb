#!/bin/sh
# Downloads the binary of a release, verifies its SHA-256 and installs it.
#   sh install.sh [VERSION]
# Environment variables, all optional:
#   REHEARSE_BIN         target folder (default ~/.local/bin)
#   REHEARSE_REPOSITORY  repository of the release, as OWNER/NAME, such as a fork
#   REHEARSE_URL         URL of the folder with the files, such as a mirror, instead of the repository
set -eu

# A test compares these lines with deno.json.
repository=rehearse-cli/rehearse
version=0.1.0
package=jsr:@rehearse/cli

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

main() {
  version=${1:-$version}
  version=${version#v}
  into=${REHEARSE_BIN:-$HOME/.local/bin}
  repository=${REHEARSE_REPOSITORY:-$repository}
  from=${REHEARSE_URL:-https://github.com/$repository/releases/download/v$version}
  with_deno="install Deno, then rehearse with: deno install -g -A -n rehearse $package@$version"
  command -v curl > /dev/null || fail "curl is not installed; install it and try again"

  # Programs for glibc do not start with musl, the C library of Alpine Linux.
  libc=gnu
  if ldd --version 2>&1 | grep -qi musl; then libc=musl; fi
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) target=x86_64-unknown-linux-$libc ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-$libc ;;
    Darwin-x86_64) target=x86_64-apple-darwin ;;
    Darwin-arm64) target=aarch64-apple-darwin ;;
    *) fail "no binary for $(uname -s) on $(uname -m); $with_deno" ;;
  esac
  case $target in
    *-musl) hint="; if this release has no binary for musl, $with_deno" ;;
    *) hint="" ;;
  esac

  name=rehearse-$version-$target
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  for file in "$name" "$name.sha256"; do
    curl -fsSL -o "$folder/$file" "$from/$file" || fail "cannot download $from/$file$hint"
  done

  # Compares only the checksum, not with `sha256sum -c`: the list could name another file.
  if command -v sha256sum > /dev/null; then
    actual=$(sha256sum < "$folder/$name")
  else
    actual=$(shasum -a 256 < "$folder/$name")
  fi
  [ "${actual%% *}" = "$(cut -d ' ' -f 1 < "$folder/$name.sha256")" ] ||
    fail "$name does not match its checksum; nothing was installed"

  mkdir -p "$into"
  chmod 755 "$folder/$name"
  mv "$folder/$name" "$into/rehearse"
  echo "Installed rehearse $version at $into/rehearse"
  case ":$PATH:" in
    *":$into:"*) ;;
    *) echo "Add $into to PATH to run it as \`rehearse\`." ;;
  esac
}

# The shell runs nothing until it has read the whole script, even if the download of it is cut off.
main "$@"

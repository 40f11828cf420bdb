#!/usr/bin/env bash
# Builds Kubernetes (control plane, kubelet and kubectl in one binary) from its Go modules into
# KUBE_BIN, and unpacks etcd, containerd and runc from Debian's packages. Needs Go, Python 3 and
# apt-get. The first call takes about 10 minutes on two cores; later calls return immediately.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
KUBE_BIN=${KUBE_BIN:-$HOME/.cache/kube-one}
version=1.34.4
mkdir -p "$KUBE_BIN/src"
if [ ! -x "$KUBE_BIN/kube" ]; then
  cp "$here/kube.go" "$KUBE_BIN/src/main.go"
  cd "$KUBE_BIN/src"
  export GOFLAGS=-mod=mod CGO_ENABLED=0
  [ -f go.mod ] || go mod init kube-one
  go get "k8s.io/kubernetes@v$version"
  dir=$(go mod download -json "k8s.io/kubernetes@v$version" | sed -nE 's/.*"Dir": "(.*)",/\1/p')
  # The packages of the module's staging folder are published separately, as v0.34.4.
  sed -nE 's#^\s+(k8s.io/[a-z0-9-]+) => ./staging.*#\1#p' "$dir/go.mod" | sort -u |
    while read -r module; do
      go mod edit -replace "$module=$module@v0.${version#1.}"
    done
  go mod tidy
  package=k8s.io/component-base/version
  flags="-s -w -X $package.gitVersion=v$version -X $package.gitMajor=1 -X $package.gitMinor=34"
  go build -trimpath -ldflags "$flags" -o "$KUBE_BIN/kube" .
fi
cd "$KUBE_BIN"
for name in kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl; do
  ln -sf kube "$name"
done
[ -x pause ] || CGO_ENABLED=0 go build -ldflags "-s -w" -o pause "$here/pause.go"
for entry in etcd-server:usr/bin/etcd containerd:usr/bin/containerd runc:usr/sbin/runc; do
  program=$(basename "${entry#*:}")
  if command -v "$program" >/dev/null || [ -x "$KUBE_BIN/$program" ]; then continue; fi
  # Unpacked, not installed: the packages' scripts need systemd.
  apt-get update -qq
  (cd "$KUBE_BIN/src" && apt-get download -qq "${entry%%:*}" && dpkg -x "${entry%%:*}"_*.deb "$KUBE_BIN/deb")
  find "$KUBE_BIN/deb" -type f -path '*bin/*' -exec ln -sf {} "$KUBE_BIN/" \;
done

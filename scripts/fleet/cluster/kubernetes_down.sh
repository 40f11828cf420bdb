#!/usr/bin/env bash
# Stops what kubernetes_up.sh started, by its recorded process ids, and removes KUBE_STATE.
set -u
export PATH=$KUBE_BIN:$PATH
containers() { ctr -a "$KUBE_STATE/containerd.sock" -n k8s.io "$@" 2>/dev/null; }
stop() {
  for name in "$@"; do
    pid=$(cat "$KUBE_STATE/$name.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null
    for _ in $(seq 50); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.2
    done
  done
}
stop kubelet scheduler controllers apiserver
for task in $(containers tasks ls -q); do containers tasks kill -s SIGKILL "$task"; done
sleep 1
for task in $(containers tasks ls -q); do containers tasks rm -f "$task" >/dev/null; done
for container in $(containers containers ls -q); do containers containers rm "$container"; done
stop containerd etcd
# Each container has a shim, which ends when its task is removed.
awk -v state="$KUBE_STATE/" 'index($2, state) == 1 { print $2 }' /proc/mounts | sort -r |
  xargs -r umount -l
find /sys/fs/cgroup -depth -type d \( -path '*/kubepods*' -o -path '*/k8s.io*' \) \
  -exec rmdir {} + 2>/dev/null
[ ! -f "$KUBE_STATE/created" ] || xargs -r rm -rf <"$KUBE_STATE/created"
rm -rf "$KUBE_STATE"

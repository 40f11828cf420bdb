#!/usr/bin/env bash
# Starts a Kubernetes of one node (etcd, control plane, containerd, kubelet) as root, in about 10
# seconds. KUBE_STATE is an empty folder for its state, KUBE_PORT the first of 10 free ports. There is
# no pod network: pods need `hostNetwork: true`, and images that are already imported.
# kubernetes_down.sh stops it.
set -euo pipefail
export PATH=$KUBE_BIN:$PATH KUBECONFIG=$KUBE_STATE/kubeconfig
port() { echo $((KUBE_PORT + $1)); }
mkdir -p "$KUBE_STATE/log" "$KUBE_STATE/cni"
cd "$KUBE_STATE"
# Folders that kubelet and containerd create elsewhere, for kubernetes_down.sh.
for folder in /run/containerd /var/lib/kubelet; do
  [ -e "$folder" ] || echo "$folder" >>created
done
start() {
  name=$1
  shift
  setsid nohup "$@" >"log/$name.log" 2>&1 </dev/null &
  echo $! >"$name.pid"
}
await() {
  for _ in $(seq 120); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.5
  done
  echo "timeout: $*" >&2
  exit 1
}

token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
echo "$token,admin,admin,\"system:masters\"" >tokens.csv
openssl genrsa -out sa.key 2048 2>/dev/null
openssl rsa -in sa.key -pubout -out sa.pub 2>/dev/null
client=http://127.0.0.1:$(port 0)
peer=http://127.0.0.1:$(port 1)
start etcd etcd --data-dir etcd --unsafe-no-fsync --listen-client-urls "$client" \
  --advertise-client-urls "$client" --listen-peer-urls "$peer" \
  --initial-advertise-peer-urls "$peer" --initial-cluster "default=$peer"
start apiserver kube-apiserver --etcd-servers "$client" --bind-address 127.0.0.1 \
  --advertise-address 127.0.0.1 --secure-port "$(port 2)" --cert-dir certs \
  --token-auth-file tokens.csv --authorization-mode RBAC \
  --service-account-key-file sa.pub --service-account-signing-key-file sa.key \
  --service-account-issuer https://kubernetes.default.svc \
  --service-cluster-ip-range 127.96.0.0/24 --endpoint-reconciler-type none \
  --disable-admission-plugins ServiceAccount
cat >kubeconfig <<K
apiVersion: v1
kind: Config
clusters: [{name: one, cluster: {server: "https://127.0.0.1:$(port 2)", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: $token}}]
contexts: [{name: one, context: {cluster: one, user: admin}}]
current-context: one
K
await kubectl get --raw /readyz
start controllers kube-controller-manager --kubeconfig kubeconfig \
  --service-account-private-key-file sa.key --use-service-account-credentials=false \
  --leader-elect=false --bind-address 127.0.0.1 --secure-port "$(port 3)" \
  --controllers '*,-nodeipam,-cloud-node-lifecycle'
start scheduler kube-scheduler --kubeconfig kubeconfig --leader-elect=false \
  --bind-address 127.0.0.1 --secure-port "$(port 4)"
# Without CAP_SYS_RESOURCE, no pod starts unless `restrict_oom_score_adj` is set.
cat >containerd.toml <<K
version = 2
root = "$KUBE_STATE/containerd"
state = "$KUBE_STATE/containerd-state"
[grpc]
  address = "$KUBE_STATE/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.local/pause:1"
  restrict_oom_score_adj = true
  stream_server_port = "$(port 5)"
  [plugins."io.containerd.grpc.v1.cri".cni]
    conf_dir = "$KUBE_STATE/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
K
network='{"cniVersion":"0.4.0","name":"one","plugins":[{"type":"ptp","ipam":{"type":"host-local","subnet":"127.97.0.0/16"}}]}'
echo "$network" >cni/10-one.conflist
start containerd containerd --config containerd.toml
await ctr -a "$KUBE_STATE/containerd.sock" version
for image in "$@"; do
  ctr -a "$KUBE_STATE/containerd.sock" -n k8s.io images import "$image" >/dev/null
done
cat >kubelet.yaml <<K
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
containerRuntimeEndpoint: unix://$KUBE_STATE/containerd.sock
failSwapOn: false
failCgroupV1: false
address: 127.0.0.1
port: $(port 6)
healthzPort: $(port 7)
podLogsDir: $KUBE_STATE/pod-logs
enforceNodeAllocatable: []
resolvConf: /etc/resolv.conf
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
K
start kubelet kubelet --kubeconfig kubeconfig --config kubelet.yaml --hostname-override one \
  --node-ip 127.0.0.1 --root-dir "$KUBE_STATE/kubelet"
ready() { kubectl get nodes | grep -qw Ready; }
await ready

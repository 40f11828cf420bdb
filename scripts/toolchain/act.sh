#!/usr/bin/env bash
# Runs the job `action` of .github/workflows/ci.yml with act, which implements GitHub's runner. The job
# runs on this machine, without a container, in a clone of the last commit. Two actions of others are
# replaced: this machine has Deno, and the clone is a checkout.
#
#     go install github.com/nektos/act@v0.2.80
#     scripts/toolchain/act.sh [PORT]
#
# PORT is a free port on 127.0.0.1 for the demo shop (default: 8080).
set -euo pipefail

port=${1:-8080}
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
stop() {
  # The job leaves the demo shop running, as on a runner that is discarded after the job.
  if [ -f "$folder/demo.pid" ]; then kill "$(cat "$folder/demo.pid")" || true; fi
  rm -rf "$folder"
}
trap stop EXIT

git clone --quiet "$root" "$folder/clone"
workflow=$folder/clone/.github/workflows/ci.yml
sed -i "s|demo --catch-all|demo --catch-all --port $port|
  s|127.0.0.1:8080|127.0.0.1:$port|; s|2>&1 &\$|2>\&1 \& echo \$! > $folder/demo.pid|" "$workflow"
replaced=()
while read -r use; do
  action=$folder/actions/${use%@*}
  mkdir -p "$action"
  cat > "$action/action.yml" <<'YAML'
name: replaced
description: Does nothing
inputs:
  deno-version: { required: false }
  persist-credentials: { required: false }
runs: { using: composite, steps: [{ shell: bash, run: deno --version }] }
YAML
  replaced+=(--local-repository "$use=$action")
done < <(sed -nE 's/^ +- uses: ((actions|denoland)\/[^ ]+).*/\1/p' "$workflow" "$root/action.yml" | sort -u)
cd "$folder/clone"
git -c user.name=act -c user.email=act@localhost commit --quiet --all --message "act: use port $port"
act push --workflows .github/workflows/ci.yml --job action --platform ubuntu-latest=-self-hosted \
  "${replaced[@]}"

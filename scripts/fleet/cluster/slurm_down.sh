#!/usr/bin/env bash
# Stops what slurm_up.sh started, by its recorded process ids, and removes SLURM_STATE.
set -u
for daemon in slurmd slurmctld munged; do
  pid=$(cat "$SLURM_STATE/$daemon.pid" 2>/dev/null) || continue
  kill "$pid" 2>/dev/null
  for _ in $(seq 50); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
done
rm -rf "$SLURM_STATE"

#!/usr/bin/env bash
# Starts a Slurm of one node with its state in SLURM_STATE, as root, from Debian's packages `slurm-wlm`
# and `munge`. SLURM_PORT is the first of two free ports. Prints nothing. slurm_down.sh stops it.
set -euo pipefail
host=$(hostname -s)
mkdir -p "$SLURM_STATE"/{spool,state,log}
cat >"$SLURM_STATE/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$SLURM_PORT
SlurmdPort=$((SLURM_PORT + 1))
AuthType=auth/munge
AuthInfo=socket=$SLURM_STATE/munge/socket
CryptoType=crypto/munge
SlurmUser=root
StateSaveLocation=$SLURM_STATE/state
SlurmdSpoolDir=$SLURM_STATE/spool
SlurmctldPidFile=$SLURM_STATE/slurmctld.pid
SlurmdPidFile=$SLURM_STATE/slurmd.pid
SlurmctldLogFile=$SLURM_STATE/log/slurmctld.log
SlurmdLogFile=$SLURM_STATE/log/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$((4 * $(nproc))) RealMemory=8000 State=UNKNOWN
PartitionName=p Nodes=$host Default=YES State=UP
CONF
mkdir -p "$SLURM_STATE/munge"
chmod 755 "$SLURM_STATE" "$SLURM_STATE/munge"
head -c 1024 /dev/urandom >"$SLURM_STATE/munge/key"
chmod 400 "$SLURM_STATE/munge/key"
munged --force --key-file "$SLURM_STATE/munge/key" --socket "$SLURM_STATE/munge/socket" \
  --pid-file "$SLURM_STATE/munged.pid" --log-file "$SLURM_STATE/log/munged.log" \
  --seed-file "$SLURM_STATE/munge/seed"
export SLURM_CONF=$SLURM_STATE/slurm.conf
slurmctld -f "$SLURM_CONF" >/dev/null 2>&1
slurmd -f "$SLURM_CONF" >/dev/null 2>&1
for _ in $(seq 60); do
  sinfo -h -o %T 2>/dev/null | grep -q idle && exit
  sleep 0.5
done
echo "Slurm does not start: see $SLURM_STATE/log" >&2
exit 1

# A real Slurm on this machine alone, for scripts that source this. It ends with the script, and so does
# `place`, a folder of its own. One node of all cores, or `nodes` (2, say) of one core each.
# Where slurm-wlm, munge or root are not to be had the script's `skip WORDS` is called.
# SPDX-License-Identifier: Apache-2.0
for command in munged slurmctld slurmd sbatch; do
  command -v "$command" >/dev/null || skip "no $command (packages slurm-wlm and munge)"
done
[[ $(id -u) == 0 ]] || skip "Slurm's daemons are started by root"

place=$(mktemp -d)
chmod 755 "$place"
mkdir "$place"/{state,log,munge,work}
host=$(hostname -s)
nodes=${nodes:-1}
slurm_nodes() {
  local k
  for ((k = 1; k <= nodes; ++k)); do
    echo "NodeName=$host$k NodeHostname=$host NodeAddr=127.0.0.1 Port=$((30000 + $$ % 10000 + k)) CPUs=$((nodes == 1 ? $(nproc) : 1)) State=UNKNOWN"
  done
}
cat >"$place/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$place/munge/socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool-%n
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd-%n.pid
SlurmctldLogFile=$place/log/slurmctld
SlurmdLogFile=$place/log/slurmd-%n
SlurmctldPort=$((20000 + $$ % 10000))
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
MaxArraySize=4
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
$(slurm_nodes)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$place/slurm.conf

stop() {
  local file
  scancel --user=root 2>/dev/null || true
  for file in "$place"/slurmd-*.pid "$place"/slurmctld.pid "$place"/munge/pid; do
    [[ ! -f $file ]] || kill "$(cat "$file")" 2>/dev/null || true
  done
  sleep 0.5
  rm -rf "$place"
}
trap stop EXIT

head -c 128 /dev/urandom >"$place/munge/key"
chmod 600 "$place/munge/key"
munged --force --key-file="$place/munge/key" --socket="$place/munge/socket" \
  --pid-file="$place/munge/pid" --log-file="$place/log/munged" --seed-file="$place/munge/seed"
slurmctld -i
for ((k = 1; k <= nodes; ++k)); do slurmd -N "$host$k"; done
all_idle() { [[ $(sinfo -h -N -o %t 2>/dev/null | grep -c idle) == "$nodes" ]]; }
for ((k = 0; k < 120; ++k)); do
  ! all_idle || break
  sleep 0.25
done
all_idle || {
  tail "$place"/log/*
  echo "Slurm did not start"
  exit 1
}

#!/bin/bash
# Runs the recipe "Slurm" of docs/scale.md word for word on a real Slurm with one node, this machine. Needs root, redis-server,
# openssl, and Debian's packages slurmctld, slurmd, slurm-client and munge; and `npm run build` before:
#
#   sudo bench/queue/slurm.sh
#
# Then it lets a worker reach its time limit: its unit must be given back and finished by the job that is queued again. Daemons
# run on free ports with their state in a temporary folder, and are ended. Not tried are several nodes and pre-emption.
set -euo pipefail
cd "$(dirname "$0")/../.."
main=${GFLOWNET_MAIN:-$PWD/dist/cli/main.js}
work=$(mktemp -d)
chmod 755 "$work"
pids=()

finish() {
  scancel --user root 2>/dev/null || true
  sleep 2
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  sleep 1
  rm -rf "$work"
}
trap finish EXIT

port() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }
until_true() {
  for _ in $(seq "$1"); do if eval "$2"; then return 0; fi; sleep 1; done
  echo "not reached in $1 s: $2" >&2
  return 1
}

# Slurm with one node
host=$(hostname -s)
mkdir -p -m 700 "$work/munge"
mkdir -p "$work/state" "$work/spool"
head -c 1024 /dev/urandom > "$work/munge/key"
chmod 400 "$work/munge/key"
mkdir -m 755 "$work/run"
munged --foreground --force --key-file "$work/munge/key" --socket "$work/run/socket" --pid-file "$work/munge/pid" \
  --seed-file "$work/munge/seed" --log-file "$work/munge/log" &
pids+=($!)
export SLURM_CONF=$work/slurm.conf
cat > "$SLURM_CONF" <<END
ClusterName=bench
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/run/socket
SlurmctldPort=$(port)
SlurmdPort=$(port)
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobRequeue=1
KillWait=30
MinJobAge=600
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
until_true 20 '[ -S "$work/run/socket" ]'
slurmctld -D > "$work/ctld.out" 2>&1 &
pids+=($!)
slurmd -D -N "$host" > "$work/slurmd.out" 2>&1 &
pids+=($!)
until_true 60 'sinfo --noheader --format=%T 2>/dev/null | grep -q idle' || { tail -5 "$work"/*.log "$work"/*.out; exit 1; }

# A broker, the command, and the recipe
mkdir "$work/bin" "$work/user"
printf '#!/bin/sh\nexec node %s "$@"\n' "$main" > "$work/bin/gflownet"
chmod +x "$work/bin/gflownet"
export PATH=$work/bin:$PATH
cp -r launch "$work/user/"
recipe=$(awk '$0 == "<!-- run on slurm -->" { wanted = 1 } /^```/ { if (inside) exit; if (wanted) { inside = 1; next } } inside { print }' docs/scale.md)
cd "$work/user"
broker=$(port)
redis-server --port "$broker" --bind 127.0.0.1 --dir "$work" --appendonly yes --maxmemory-policy noeviction > "$work/redis.log" &
pids+=($!)
umask 077
echo "{ \"url\": \"redis://127.0.0.1:$broker\", \"key\": \"$(openssl rand -hex 32)\" }" > queue.json
bash -euo pipefail -c "$recipe"
lines=$(wc -l < comparison/table.csv)
test "$lines" -eq 3
until_true 60 '[ -z "$(squeue --noheader)" ]'
echo "slurm: the recipe ran; table.csv has $((lines - 1)) methods; its workers ended"

# The time limit: SIGUSR1 a minute before it, with a limit of two minutes
gflownet queue test --queue queue.json --units 1 --wait 100 --json > long.json &
pids+=($!)
test_pid=$!
job=$(sbatch --parsable --array=1 --cpus-per-task=1 --mem-per-cpu=500M --time=00:02:00 launch/slurm.sh queue.json)
until_true 150 'grep -q "given back" gflownet-worker-${job}_1.log'
until_true 60 'scontrol show job ${job}_1 | grep -q "Restarts=1"'
echo "slurm: at its time limit the worker gave its unit back, and its job was queued again"
scontrol release "${job}_1" 2>/dev/null || true
scontrol update "JobId=${job}_1" TimeLimit=00:10:00
until_true 300 '! kill -0 $test_pid 2>/dev/null'
grep -q '"failed":0' long.json
echo "slurm: the job that was queued again finished the unit"

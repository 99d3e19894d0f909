#!/bin/bash
# Workers as an array of Slurm jobs, one slot for each processor of a task:
#
#   sbatch --array=1-20 launch/slurm.sh queue.json [flags of gflownet worker]
#
# A minute before the time limit, and when it is pre-empted, a worker gives its units back with checkpoints, and its job is
# queued again. Workers end when the queue is empty; with --problem they do not, because a design sends strings in rounds.

#SBATCH --job-name=gflownet-worker
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=2G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
#SBATCH --open-mode=append
#SBATCH --output=gflownet-worker-%A_%a.log

queue=${1:?the first argument must be the file of the queue}
shift
case " $* " in *" --problem "*) ;; *) set -- --until-idle "$@" ;; esac

again=no
${GFLOWNET:-gflownet} worker --queue "$queue" --slots "${SLURM_CPUS_PER_TASK:-1}" "$@" &
worker=$!
# Slurm signals this shell (B:). It must pass the signal on, and a trap runs only while it waits.
trap 'again=yes; kill -USR1 $worker' USR1
trap 'kill -TERM $worker' TERM

code=0
while kill -0 $worker 2>/dev/null; do
  wait $worker
  code=$?
done

# Slurm queues a job again by itself if its node failed or it was pre-empted, but not if its time was over.
if [ $again = yes ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit $code

#!/bin/bash
# Runs the recipe "Two machines and a Redis" of docs/scale.md word for word on two "hosts", alpha and beta, which are network
# namespaces joined by a cable. Needs root, iproute2, redis-server and openssl, and `npm run build` before:
#
#   sudo bench/queue/two-hosts.sh
#
# Not tried are copying by scp, and real machines. Both hosts see the same disk, in folders of their own.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
main=${GFLOWNET_MAIN:-$root/dist/cli/main.js}
work=$(mktemp -d)
hosts=(alpha beta)
worker=

# The commands of a host, in the order of the document.
recipe() {
  awk -v marker="<!-- run on $1 -->" '
    $0 == marker { wanted = 1 } /^```/ { if (inside) { inside = 0; print "#end" } else if (wanted) { inside = 1; wanted = 0; next } }
    inside { print }' docs/scale.md
}
part() { recipe "$1" | awk -v n="$2" 'BEGIN { i = 1 } $0 == "#end" { i++; next } i == n { print }'; }
on() {
  local host=$1
  (cd "$work/$host" && PATH="$work/bin:$PATH" HOME="$work/$host" exec ip netns exec "$host" bash -euo pipefail -c "$2")
}

finish() {
  if [ -n "$worker" ]; then kill "$worker" 2>/dev/null || true; wait "$worker" || true; fi
  for pid in $(ip netns pids alpha 2>/dev/null) $(ip netns pids beta 2>/dev/null); do kill -9 "$pid" || true; done
  for host in "${hosts[@]}"; do ip netns del "$host" 2>/dev/null || true; rm -rf "/etc/netns/$host"; done
  rm -rf "$work"
}
trap finish EXIT

mkdir "$work/bin"
printf '#!/bin/sh\nexec node %s "$@"\n' "$main" > "$work/bin/gflownet"
chmod +x "$work/bin/gflownet"
for host in "${hosts[@]}"; do
  ip netns add "$host"
  mkdir -p "$work/$host" "/etc/netns/$host"
  printf '127.0.0.1 localhost\n10.77.0.1 alpha\n10.77.0.2 beta\n' > "/etc/netns/$host/hosts"
  ip -n "$host" link set lo up
done
ip link add cable-alpha netns alpha type veth peer name cable-beta netns beta
ip -n alpha addr add 10.77.0.1/24 dev cable-alpha
ip -n beta addr add 10.77.0.2/24 dev cable-beta
ip -n alpha link set cable-alpha up
ip -n beta link set cable-beta up

on alpha "$(part alpha 1)"
cp -p "$work/alpha/queue.json" "$work/beta/"
on beta "$(part beta 1)" &
worker=$!
on alpha "$(part alpha 2)"
lines=$(wc -l < "$work/alpha/comparison/table.csv")
test "$lines" -eq 3
echo "two hosts: the recipe ran; table.csv has $((lines - 1)) methods"

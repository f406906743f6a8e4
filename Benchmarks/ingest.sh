#!/usr/bin/env bash
# Times a durable ingest of a synthetic stream. Usage: ingest.sh PATH-OF-TIDEMARK
#
# Environment: IDS (200000), UPDATES (4), RUNS (3), SEED (1).
# Prints one line of JSON a run, with everything that a number needs to be one, and the spread at the end.
set -euo pipefail

tidemark=${1:?usage: ingest.sh PATH-OF-TIDEMARK}
ids=${IDS:-200000} updates=${UPDATES:-4} runs=${RUNS:-3} seed=${SEED:-1}
folder=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT

made=$("$tidemark" generate --seed "$seed" --ids "$ids" --updates "$updates" --output "$folder/stream" --json)
commit=$(git rev-parse --short HEAD 2> /dev/null || echo none)
toolchain=$(swift --version 2> /dev/null | grep -o 'Swift version [0-9.]*' | head -n 1)
machine="$(uname -sm), $(getconf _NPROCESSORS_ONLN) cores"
echo "{\"machine\":\"$machine\",\"commit\":\"$commit\",\"toolchain\":\"$toolchain\",\"date\":\"$(date -u +%F)\",\"stream\":$made}"

rates=()
for run in $(seq "$runs"); do
    summary=$("$tidemark" ingest --db "$folder/$run.db" --json < "$folder/stream")
    # The floor beside it: the same bytes through cat.
    start=$(date +%s%N)
    cat "$folder/stream" > /dev/null
    floor=$((($(date +%s%N) - start) / 1000000))
    digest=$("$tidemark" export --db "$folder/$run.db" | cksum | cut -d ' ' -f 1)
    echo "{\"run\":$run,\"read_floor_ms\":$floor,\"digest\":$digest,\"summary\":$summary}"
    rates+=("$(sed 's/.*"events_per_second":\([0-9]*\).*/\1/' <<< "$summary")")
    rm -f "$folder/$run.db"*
done
sorted=($(printf '%s\n' "${rates[@]}" | sort -n))
echo "{\"events_per_second\":{\"n\":$runs,\"lowest\":${sorted[0]},\"median\":${sorted[$((runs / 2))]},\"highest\":${sorted[$((runs - 1))]}}}"

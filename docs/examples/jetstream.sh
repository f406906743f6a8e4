#!/usr/bin/env bash
# Shows a log in NATS JetStream, two caches with half of the libraries each, and the death of one of them.
# Usage: jetstream.sh PATH-OF-TIDEMARK
set -euo pipefail

tidemark=${1:?usage: jetstream.sh PATH-OF-TIDEMARK}
server=$(command -v nats-server || echo /usr/sbin/nats-server)
if [ ! -x "$server" ]; then
    echo 'nats-server is not installed: on Debian  apt-get install nats-server libnats-dev' >&2
    exit 69
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-jetstream.XXXXXX")
pids=()
trap 'kill -9 "${pids[@]}" 2> /dev/null || true; wait 2> /dev/null || true; rm -rf "$folder"' EXIT

bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-}" != dumb ]; then
    bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
fi
explain() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
show() { printf '%s$ tidemark %s%s\n' "$dim" "$1" "$plain"; }

"$server" -js -sd "$folder/store" -p -1 --ports_file_dir "$folder" -l "$folder/server.log" &
pids+=($!)
disown
ports=$folder/nats-server_${pids[0]}.ports
until [ -s "$ports" ]; do read -rt 0.1 < <(:) || true; done
stream=$(sed -n 's/.*"nats": *\["\([^"]*\)".*/\1/p' < <(tr -d '\n' < "$ports"))/EVENTS
stream=${stream/\[::\]/127.0.0.1}
stream=${stream/0.0.0.0/127.0.0.1}

explain 'A stream for the events of all libraries, one subject each.'
show 'stream create --to nats://…/EVENTS'
"$tidemark" stream create --to "$stream"

explain 'Two caches, each with half of the libraries. They follow the stream until they are stopped.'
follow() {
    "$tidemark" ingest --db "$folder/$1.db" --from "$stream?shard=$1/2" > /dev/null 2> "$folder/$1.log" &
    pids+=($!)
    disown
}
show 'ingest --db 0.db --from "nats://…/EVENTS?shard=0/2"'
follow 0
show 'ingest --db 1.db --from "nats://…/EVENTS?shard=1/2"'
follow 1
victim=${pids[2]}

# The same events for each library: 2,000 entities with 3 updates.
"$tidemark" generate --ids 2000 --updates 3 --libraries 10 > "$folder/events.ndjson"
explain 'The first half of the events is published; then the second cache is killed with signal 9, and the rest follows.'
show 'publish --to nats://…/EVENTS < events.ndjson'
count=$(wc -l < "$folder/events.ndjson")
head -n $((count / 2)) "$folder/events.ndjson" | "$tidemark" publish --to "$stream"
kill -9 "$victim"
tail -n +$((count / 2 + 1)) "$folder/events.ndjson" | "$tidemark" publish --to "$stream"

explain 'Both are stopped and brought to the end of the stream: the killed one goes on where its database ends.'
kill "${pids[1]}"
while kill -0 "${pids[1]}" 2> /dev/null; do read -rt 0.1 < <(:) || true; done
for number in 0 1; do
    show "ingest --db $number.db --from \"nats://…/EVENTS?shard=$number/2\" --until-caught-up"
    "$tidemark" ingest --db "$folder/$number.db" --from "$stream?shard=$number/2" --until-caught-up > /dev/null
done

explain 'Together they have what one cache has that read the events from the file:'
"$tidemark" ingest --db "$folder/whole.db" < "$folder/events.ndjson" > /dev/null
digest() { sed 's/,"sequence":.*//' | LC_ALL=C sort | cksum | cut -d' ' -f1; }
parts=$( (for number in 0 1; do "$tidemark" export --db "$folder/$number.db"; done) | digest)
whole=$("$tidemark" export --db "$folder/whole.db" | digest)
echo "two caches: $parts"
echo "one cache:  $whole"
[ "$parts" = "$whole" ] || { echo 'they differ' >&2; exit 1; }

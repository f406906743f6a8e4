#!/usr/bin/env bash
# Shows how Tidemark handles a short, faulty stream. Usage: first-run.sh PATH-OF-TIDEMARK [DATABASE]
#
# With DATABASE the result is left there, in place of an earlier one.
set -euo pipefail

tidemark=${1:?usage: first-run.sh PATH-OF-TIDEMARK [DATABASE]}
stream=$(cd "$(dirname "$0")" && pwd)/first-run.ndjson
if [ -n "${2:-}" ]; then
    db=$2
    rm -f "$db" "$db"-wal "$db"-shm "$db"-lock
else
    folder=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-first-run.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    db=$folder/demo.db
fi

bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-}" != dumb ]; then
    bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
fi

# say WHAT COMMAND…: prints a line that explains a command, prints the command and runs it.
say() {
    local what=$1
    shift
    printf '\n%s%s%s\n%s$ tidemark %s --db demo.db%s\n' "$bold" "$what" "$plain" "$dim" "$*" "$plain"
    "$tidemark" "$@" --db "$db"
}

printf '%sTwelve lines go in: two albums, some photos, a merge, a repeat, a delete, an error page, one number missing.%s\n' \
    "$bold" "$plain"
printf '%s$ tidemark ingest --db demo.db < docs/examples/first-run.ndjson%s\n' "$dim" "$plain"
"$tidemark" ingest --db "$db" < "$stream"

say 'The entities in the cache, in key order. p3 was deleted; 7 came before 6, and both were applied.' list
say 'One entity, as it arrived: the merge kept its name, and 1.10 is still 1.10.' get album:summer
say 'Number 8 never arrived and there was no upstream to ask: it is lost, and the library is stale.' gaps
say 'Unusable input was quarantined: the error page, and a batch member without an id.' quarantine list
say 'Every row is read back and checked against its checksum.' verify

printf '\nThe result is one file, with a record of everything that went wrong on the way into it.\n'

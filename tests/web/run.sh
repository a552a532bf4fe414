#!/bin/sh
# run.sh PROGRAM FOLDER: checks the sources of web/, runs their unit tests, builds the page and tries
# it in Chromium against PROGRAM. The built page and screenshots are left in FOLDER.
set -eu
program=$(realpath "$1")
folder=$(realpath -m "$2")  # parts of this run in web/
cd "$(dirname "$0")/../.."

skip() {
  echo "SKIPPED: web: $1"
  exit 77
}
command -v node > /dev/null || skip "node is missing (nodejs)"
[ -d web/node_modules/playwright-core ] || skip "web/node_modules is missing (make web)"
chromium=$(command -v chromium) || skip "chromium is missing (chromium)"

# Its own copy of the page: that of web/dist may be older than its sources.
mkdir -p "$folder"
cd web
bin=node_modules/.bin
node "$bin/openapi-typescript" src/api/openapi.json --default-non-nullable=false \
  --output src/api/schema.d.ts > /dev/null
node "$bin/tsc" --noEmit
node "$bin/prettier" --check . ../tests/web --config .prettierrc.json --ignore-path .prettierignore --log-level warn
node "$bin/vitest" run
node "$bin/vite" build --outDir "$folder/dist" --emptyOutDir --logLevel warn
cd ..
BERTH_PROGRAM=$program BERTH_WEB=$folder/dist WEB_OUT=$folder CHROMIUM=$chromium \
  node --test --test-concurrency=1 tests/web/page.test.mjs

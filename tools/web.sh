#!/bin/sh
# Builds the web page (web/dist) where its sources have changed since; says loudly when it can't.
set -eu
cd "$(dirname "$0")/../web"

if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
  echo "SKIPPED: web: node or npm is missing, so \`berth server\` will have no web page" >&2
  exit 0
fi
installed=node_modules/.package-lock.json
if [ ! -f $installed ] || [ package-lock.json -nt $installed ]; then
  # Packages from npm's registry, exactly those of the lock file; none of their scripts is run.
  if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error; then
    echo "SKIPPED: web: npm could not fetch its packages, so \`berth server\` will have no web page" >&2
    exit 0
  fi
fi
inputs="src public index.html package-lock.json vite.config.ts tsconfig.json"
if [ -f dist/index.html ]; then
  newer=$(find $inputs -type f ! -name schema.d.ts -newer dist/index.html | head -n 1)
  [ -n "$newer" ] || exit 0
fi
npm run --silent build

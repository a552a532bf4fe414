#!/bin/sh
# Installs the Debian packages of packages.txt that are missing. Costs nothing when all are there.
set -eu
cd "$(dirname "$0")/.."

wanted=$(sed 's/#.*//' packages.txt | xargs)
if ! command -v dpkg-query > /dev/null; then
  echo "deps: this is no Debian system; Berth needs the equivalents of: $wanted" >&2
  exit 0
fi
present=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2> /dev/null | sed -n 's/^installed //p' | xargs)
missing=
for package in $wanted; do
  case " $present " in
    *" $package "*) continue ;;
  esac
  # Node.js often comes with its own npm, and excludes that of Debian.
  case $package in
    nodejs) command -v node > /dev/null || missing="$missing $package" ;;
    npm) command -v npm > /dev/null || missing="$missing $package" ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
  if command -v sudo > /dev/null && { sudo -n true 2> /dev/null || [ -t 0 ]; }; then
    as_root="sudo"
  else
    echo "deps: packages are missing, and this user can't install them. As root, run:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 1
  fi
fi
echo "deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing

#!/usr/bin/env bash
# The step of action.yml: adds the site to a repo of its own, and writes the CAR, the outputs and the summary.
set -euo pipefail

# a line break would begin an output of its own
if [[ $SITE_CAR == *[$'\n\r']* ]]; then
  echo "::error::The name of the CAR has a line break"
  exit 1
fi

read -ra ipfsz <<< "$SITE_COMMAND"

if ! version=$("${ipfsz[@]}" --version); then
  echo "::error::The command does not run: $SITE_COMMAND. If npm does not have it, pass the input command, \
such as: npx --yes --package=./ipfsz.tgz ipfsz"
  exit 1
fi

# what site add does with a domain
if [[ $SITE_BASE =~ ^(([A-Za-z0-9-]+\.)+([A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9-]+))(/|$) ]]; then
  SITE_GATEWAY=${SITE_GATEWAY:-https://${BASH_REMATCH[1]}}
  SITE_BASE=/ipns/$SITE_BASE
elif [[ -n $SITE_BASE && -z $SITE_GATEWAY ]]; then
  echo "::error::The input base needs the input gateway, unless it is a domain: nothing else can send the last release"
  exit 1
fi

IPFSZ_PATH=$(mktemp -d "$RUNNER_TEMP/ipfsz.XXXXXX")
export IPFSZ_PATH IPFSZ_GATEWAYS="$SITE_GATEWAY" IPFSZ_BOOTSTRAP=none

options=(--car "$SITE_CAR")
[ "$SITE_HIDDEN" != true ] || options+=(--hidden)
while IFS= read -r pattern; do
  [ -z "$pattern" ] || options+=("--keep=$pattern")
done <<< "$SITE_KEEP"

if [ -n "$SITE_BASE" ]; then
  if "${ipfsz[@]}" repair -- "$SITE_BASE" >&2; then
    options+=("--base=$SITE_BASE")
  else
    echo "::warning::The last release could not be fetched: the site is stored in full"
  fi
fi

added=$("${ipfsz[@]}" site add --json "${options[@]}" -- "$SITE_DIRECTORY")
tree=$(node -p 'JSON.parse(process.argv[1]).tree' "$added")
plain=$("${ipfsz[@]}" cid plain -- "$tree")

node - "$added" "$plain" >> "$GITHUB_OUTPUT" << 'END'
const [added, plain] = process.argv.slice(2)
const { cid, tree, car, carSize, newSize = carSize } = JSON.parse(added)
console.log([`cid=${cid}`, `tree=${tree}`, `plain-tree=${plain}`, `car=${car}`, `new-bytes=${newSize}`].join('\n'))
END

node - "$added" "${version%%$'\n'*}" >> "$GITHUB_STEP_SUMMARY" << 'END'
const { cid, tree, files, size, storedSize, carSize, newSize, firstVisit } = JSON.parse(process.argv[2])
const kib = bytes => `${(bytes / 1024).toFixed(1)} KiB`
console.log(`### Published site

| | |
|---|---|
| CID | \`${cid}\` |
| compressed files | \`${tree}\` |
| files | ${files}, ${kib(size)}, stored in ${kib(storedSize)} |
| new since the last release | ${newSize == null ? 'all: there is none' : kib(newSize)} |
| CAR | ${kib(carSize)} |
| a first visit to all pages | ${kib(firstVisit.compressed)} instead of ${kib(firstVisit.plain)} |
| made by | ipfsz ${process.argv[3]} |
`)
END

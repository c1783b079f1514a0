/**
 * @module-tag long
 *
 * Runs the commands of the README and the guides: per page, all `sh` and `console` blocks in their order, in an empty
 * home directory and a network without an exit, with the command as npm packs it. What a block needs besides is made
 * below: files of the names that the pages use, a second node, Kubo. Words in capitals, such as CID, stand for what
 * the reader has seen before.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = globSync(['README.md', 'docs/gateway.md', 'docs/guide/*.md'], { cwd: ROOT }).toSorted()

/** Blocks that need another machine: ` ```sh network `, with the page and how many there are. */
const OUTSIDE = {
  'docs/gateway.md': 1,
  'docs/guide/archives-and-datasets.md': 1,
  'docs/guide/grow-past-one-machine.md': 1,
  'docs/guide/run-a-daemon-and-share.md': 1,
  'docs/guide/site.md': 1,
  'docs/guide/with-kubo.md': 1
}

/** Lines that ask a package registry. Packages and programs are tested as installed by `npm run check`. */
const REGISTRY = /^(?:npm (?:ci|test|install .+)|pip install .+)$/

/** Commands that run until they are stopped. */
const SERVERS = /^(?:npx )?(?:ipfsz (?:daemon|gateway)|ipfs daemon)\b/

/** When a page hangs, in milliseconds. */
const TIMEOUT = 180_000

/** What stands for something of the reader: it becomes a call of a function of the prelude. */
const NAMES = /(?<![$\w])(?:CID|ORIGINAL|MARKED|PLAIN|MULTIADDR)\b(?!=)/g
const ELSEWHERE = /\/ip4\/192\.168\.1\.5\/tcp\/4101\/p2p\/\w+|\/ip4\/\.\.\.\/p2p\/12D3\.\.\./g

const PRELUDE = `
set -euo pipefail
ip link set lo up
export HOME=$PWD IPFSZ_BOOTSTRAP=none IPFS_TELEMETRY=off

seq 1 200000 > big.csv
mkdir -p dataset/2024 directory dist/blog photos data mnt/site tmp bin
seq 1 300000 > dataset/2024/prices.csv
seq 1 5000 | tee directory/a.txt > photos/a.txt
for file in data.sqlite book.txt README.md; do cp big.csv $file; done
printf '<!doctype html><title>A site</title><p>%s' "$(seq 1 3000)" | tee dist/index.html > dist/blog/index.html
cp -r dist site; cp -r photos site/images
printf '#!/bin/sh\\nseq 1 90000\\n' > bin/pg_dump
printf '#!/bin/sh\\nexec "$@"\\n' > bin/npx
chmod +x bin/*
PATH=$PWD/bin:$PATH

MARKED () { ipfsz add -Q big.csv; }
PLAIN () { ipfsz cid plain $(MARKED); }
CID () {
  case $PAGE in
    site) ipfsz add -Q dist ;;
    add-and-read-files) ipfsz add -Q site ;;
    *) ipfsz add -Q dataset ;;
  esac
}
ORIGINAL () { ipfsz link ls | cut -f1 | head -1; }
MULTIADDR () { IPFSZ_PATH=$HOME/other ipfsz id | grep -o '/ip4/127.*' | head -1; }

wait_for () {
  for i in $(seq 600); do
    grep -q 'is ready' $1 && return
    kill -0 $2 || break
    sleep 0.1
  done
  cat $1 >&2
  exit 1
}

serve () {
  "$@" > server.log 2>&1 &
  servers="$servers $!"
  wait_for server.log $!
  # on loopback, they do not find each other
  [ "$USES_KUBO$2" != truedaemon ] || ipfs swarm connect $(ipfsz id | grep -o '/ip4/127.*' | head -1) > /dev/null
}

stop () {
  for server in $servers; do
    kill $server 2> /dev/null || true
    wait $server || true
  done
  servers=
}
servers=

# where a page names it, a second node, with the file; where it uses Kubo, one that knows both nodes
if [ "$USES_OTHER" = true ]; then
  export IPFSZ_PATH=$HOME/other
  ipfsz add -Q big.csv > /dev/null
  seq 1 1000000 | ipfsz add -Q > /dev/null
  ipfsz daemon --listen /ip4/127.0.0.1/tcp/4200 > other.log 2>&1 &
  wait_for other.log $!
  unset IPFSZ_PATH
fi
ipfsz add -Q directory > /dev/null

if [ "$USES_KUBO" = true ]; then
  ipfs init > /dev/null 2>&1
  ipfs bootstrap rm --all > /dev/null
  ipfs config Routing.Type none
  [ "$PAGE" = with-kubo ] || ipfs config Addresses.Gateway /ip4/127.0.0.1/tcp/8180
  ipfs daemon --enable-gc=false > kubo.log 2>&1 &
  wait_for kubo.log $!
  ipfs swarm connect $(MULTIADDR) > /dev/null
fi
`

interface Block {
  file: string
  line: number
  isNetwork: boolean
  commands: string[]
}

function blocksOf (file: string): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  let language: string | undefined

  for (const [i, text] of readFileSync(join(ROOT, file), 'utf8').split('\n').entries()) {
    const [, fence, info] = /^\s*```(\w*) ?(\w*)/.exec(text) ?? []

    if (fence != null) {
      open = open == null && language == null && ['sh', 'console'].includes(fence)
        ? { file, line: i + 2, isNetwork: info === 'network', commands: [] }
        : undefined
      blocks.push(...open == null ? [] : [open])
      language = language == null ? fence : undefined
    } else if (open != null) {
      const command = language === 'console' ? /^\$ (.*)|^ {4}(\S.*)/.exec(text)?.slice(1).join('') : text.trim()
      open.commands.push(...command == null || command === '' ? [] : [command])
    }
  }

  return blocks
}

/** A block as a script, in which servers run in the background. */
function toScript ({ file, line, commands }: Block): string {
  const lines = commands.join('\n').replaceAll('\\\n', ' ').split('\n').filter(command => !REGISTRY.test(command))

  return [
    `echo '${file}:${line}' >&2`,
    ...lines.some(command => SERVERS.test(command)) ? ['stop'] : [],
    ...lines.map(command => {
      const [text, ...comment] = command.split(/(?=\s+#\s)/)
      const mended = text.replaceAll(NAMES, name => `$(${name})`).replaceAll(ELSEWHERE, '$(MULTIADDR)')
        .replaceAll(/ \/(?=data\/|mnt\/|tmp\/)/g, ' $HOME/')

      // it makes another repo than the last one
      const before = text.startsWith('ipfsz init') && !text.includes('--repo') ? 'rm -rf ~/.ipfsz; ' : ''

      return `${before}${SERVERS.test(text) ? 'serve ' : ''}${mended}${comment.join('')}`
    })
  ].join('\n')
}

let directory: string
let command: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-documents-'))
  command = join(directory, 'node_modules/ipfsz')
  const { files, optionalDependencies } = JSON.parse(
    readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8')
  ) as { files: string[], optionalDependencies: Record<string, string> }

  for (const path of globSync(['package.json', ...files], { cwd: join(ROOT, 'packages/cli') })) {
    cpSync(join(ROOT, 'packages/cli', path), join(command, path), { recursive: true })
  }

  for (const name of Object.keys(optionalDependencies)) {
    mkdirSync(dirname(join(command, '..', name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(command, '..', name))
  }

  mkdirSync(join(directory, 'bin'))
  writeFileSync(
    join(directory, 'bin/ipfsz'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(command, 'bin/ipfsz.js')}' "$@"\n`,
    { mode: 0o755 }
  )
})

afterAll(() => { rmSync(directory, { recursive: true, force: true }) })

it.each(PAGES.filter(page => blocksOf(page).some(({ isNetwork }) => !isNetwork)))('%s has commands that run', page => {
  const home = join(directory, page.replaceAll('/', '-'))
  mkdirSync(home)
  const [, worker] = /```typescript browser\n(.*?)```/s.exec(readFileSync(join(ROOT, page), 'utf8')) ?? []
  writeFileSync(join(home, 'worker.js'), worker ?? '')
  const name = page.replaceAll(/.*\/|\.md$/g, '')
  const blocks = blocksOf(page).filter(({ isNetwork }) => !isNetwork).map(toScript)
  const usesKubo = blocks.some(block => /^ipfs |\| ipfs /m.test(block))
  const usesOther = usesKubo || blocks.some(block => block.includes('MULTIADDR'))
  const script = [`PAGE=${name} USES_KUBO=${usesKubo} USES_OTHER=${usesOther}`, PRELUDE, ...blocks]
  const { status, stdout, stderr } = spawnSync('unshare', [
    ...process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'],
    '--net',
    // all that is left over ends with the shell
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    'bash',
    '--norc',
    '-c',
    script.join('\n')
  ], {
    cwd: home,
    encoding: 'utf8',
    timeout: TIMEOUT,
    maxBuffer: 2 ** 28,
    killSignal: 'SIGKILL',
    env: {
      // where bundlers find what the pages install
      NODE_PATH: join(ROOT, 'node_modules'),
      PATH: `${join(directory, 'bin')}:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`
    }
  })

  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' })
})

it('marks the blocks that need other machines', () => {
  const marked = PAGES.flatMap(blocksOf).filter(({ isNetwork }) => isNetwork)

  expect(Object.fromEntries(Map.groupBy(marked, ({ file }) => file).entries().map(([file, all]) => [file, all.length])))
    .toEqual(OUTSIDE)
})

/** Uses the installed command on Bun and Deno, as `bunx` and `deno run` start it, and on a later Node. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Project } from './empty-project.ts'

/** Together they take 350 MB, so only this check installs them. */
const PACKAGES = ['bun@1.4.5', 'deno@2.9.6', 'node@26.10.0']

const RUNTIMES = {
  Bun: ['node_modules/.bin/bun'],
  Deno: ['node_modules/.bin/deno', 'run', '--allow-all', '--no-prompt'],
  'Node 26': ['node_modules/node/bin/node']
}

const BIN = 'node_modules/ipfsz/bin/ipfsz.js'

/** More than one message of an encrypted connection. It does not compress (xorshift32). */
const NOISE = Uint8Array.from({ length: 300_000 }, nextByte())

function nextByte (state = 1): () => number {
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5

    return state >>> 24
  }
}

/** Text of 160 kB that shrinks by a quarter: its frames are longer than the first output buffer. */
const LETTERS = Buffer.from(NOISE.subarray(0, 120_000)).toString('base64')

/** The files of the tree that is added. */
const FILES = {
  'words.txt': 'what one adds, all can read, '.repeat(10_000),
  'below/noise': NOISE,
  'below/letters': LETTERS.slice(0, 80_000)
}

/** A list of so many long names that it takes more than the buffer of a pipe. */
const NAMES = Array.from({ length: 1000 }, (_, i) => `${i}-${'name'.repeat(50)}`)

/** Install them, add and read files with each, and fetch from a daemon on Node: over HTTP, and as a peer. */
export async function useOtherRuntimes (project: Project): Promise<void> {
  project.run('npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', '--no-save', ...PACKAGES)

  const tree = join(project.directory, 'tree')
  mkdirSync(join(tree, 'below'), { recursive: true })

  for (const [path, content] of Object.entries(FILES)) {
    writeFileSync(join(tree, path), content)
  }

  writeFileSync(join(project.directory, 'letters'), LETTERS)
  mkdirSync(join(project.directory, 'many'))

  for (const name of NAMES) {
    writeFileSync(join(project.directory, 'many', name), '')
  }

  const daemon = await startDaemon(project)

  try {
    for (const [name, [program, ...args]] of Object.entries(RUNTIMES)) {
      const ipfsz = (...words: string[]): string =>
        project.run(program, ...args, BIN, '--repo', `repo-${name}`, ...words)

      if (!ipfsz('--help').includes('Usage: ipfsz')) {
        throw new Error(`On ${name}, ipfsz --help shows no usage`)
      }

      const words = ipfsz('add', '-Q', 'tree/words.txt')
      const first = ipfsz('add', '-Q', 'tree/below/letters')
      const next = ipfsz('add', '-Q', 'letters', '--base', first)

      for (const [cid, content] of [[words, FILES['words.txt'].trim()], [next, LETTERS]]) {
        if (ipfsz('cat', cid) !== content) {
          throw new Error(`On ${name}, ipfsz cat ${cid} writes other bytes than were added`)
        }
      }

      const many = ipfsz('add', '-Q', 'many')
      const list = [program, ...args, BIN, '--repo', `repo-${name}`, 'ls', many]
      // a reader that begins when the pipe is full
      const listed = project.run('sh', '-c', '"$@" | (sleep 1; wc -l)', 'sh', ...list)

      if (listed !== String(NAMES.length)) {
        throw new Error(`On ${name}, ipfsz ls writes ${listed} of ${NAMES.length} lines to a slow reader`)
      }

      // one more says how many of these paths were not added
      const add = [program, ...args, BIN, '--repo', `repo-${name}`, 'add', ...NAMES]
      const errors = project.run('sh', '-c', '"$@" 2>&1 >/dev/null | (sleep 1; wc -l)', 'sh', ...add)

      if (errors !== String(NAMES.length + 1)) {
        throw new Error(`On ${name}, ipfsz add writes ${errors} of ${NAMES.length + 1} errors to a slow reader`)
      }

      get(ipfsz('add', '-Q', 'tree'), `${name}-own`)

      for (const [way, from] of Object.entries({ gateway: daemon.url, peer: daemon.address })) {
        get(daemon.cid, `${name}-${way}`, '--repo', `repo-${name}-${way}`, `--${way}`, from, '--timeout', '30s')
      }

      function get (cid: string, target: string, ...options: string[]): void {
        ipfsz('get', cid, '-o', target, ...options)

        for (const path of Object.keys(FILES)) {
          if (!readFileSync(join(project.directory, target, path)).equals(readFileSync(join(tree, path)))) {
            throw new Error(`On ${name}, ipfsz get ${[cid, ...options].join(' ')} writes other bytes: ${path}`)
          }
        }
      }
    }
  } finally {
    await daemon.stop()
  }
}

interface Daemon {
  cid: string
  url: string
  address: string
  stop: () => Promise<void>
}

/** A daemon with a gateway, which runs on Node and has the tree. */
async function startDaemon ({ directory, run }: Project): Promise<Daemon> {
  const cid = run('node', BIN, '--repo', 'repo-daemon', 'add', '-Q', 'tree')
  const options = ['--listen', '/ip4/127.0.0.1/tcp/0', '--gateway', '127.0.0.1:0']
  const child = spawn('node', [BIN, '--repo', 'repo-daemon', '--json', 'daemon', ...options], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const found: { addresses?: string[], url?: string } = {}

  for await (const line of createInterface(child.stdout)) {
    const { event, ...more } = JSON.parse(line) as { event: string, addresses?: string[], url?: string }
    Object.assign(found, more)

    if (event === 'ready') {
      break
    }
  }

  const { addresses: [address] = [], url } = found

  if (address == null || url == null) {
    throw new Error(`The daemon said neither where it is nor that it is ready: ${JSON.stringify(found)}`)
  }

  return {
    cid,
    url,
    address,
    async stop () {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }
}

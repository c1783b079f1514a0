import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readExamples } from './examples.ts'
import { runInPage } from './run-in-page.ts'
import type { Example } from './examples.ts'

const ROOT = dirname(import.meta.dirname)

/** Guides and READMEs. The bugs of docs/upstream.md are tested in test/upstream. */
const RUN = /^(?:README|docs\/(?!upstream)[\w/-]+|packages\/[\w-]+\/README)\.md$/

/** When a program hangs, in milliseconds: on a busy machine, one that loads Helia may take minutes. */
const TIMEOUT = 600_000

/** Runs a program to the end of its module: a server that it starts would go on. It reaches this machine alone. */
const RUNNER = `
  import dgram from 'node:dgram'
  import dns from 'node:dns'
  import net from 'node:net'

  const isHere = host => host == null || /^(localhost|127\\..*|::1|::|0\\.0\\.0\\.0)$/.test(host)
  const refuse = host => {
    process.stderr.write('It asks another machine: ' + host + '\\n')
    process.exit(1)
  }
  const { connect } = net.Socket.prototype
  const { send } = dgram.Socket.prototype

  net.Socket.prototype.connect = function (...args) {
    const [{ host, path }] = net._normalizeArgs(args[0]?.[0] == null ? args : args[0])
    return path != null || isHere(host) ? connect.apply(this, args) : refuse(host)
  }
  dgram.Socket.prototype.send = function (...args) {
    const host = args.findLast(arg => typeof arg === 'string')
    return isHere(host) ? send.apply(this, args) : refuse(host)
  }
  for (const name of ['resolve4', 'resolve6', 'resolveTxt']) {
    dns[name] = dns.promises[name] = host => refuse(host)
  }

  await import('./main.ts')
  process.exit()
`

/** The programs of guides and READMEs that run here. Those that need other machines are only compiled. */
function programs (): Example[] {
  return readExamples().filter(({ file, info }) => RUN.test(file) && info !== 'network')
}

/** The packages that the examples name: what documents install, with the versions that this repository uses. */
export function packagesOfExamples (): string[] {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const names = new Set(programs().flatMap(({ file, line }) => namedAbove(file, line)))

  return [...names].filter(name => !name.startsWith('@ipfsz/'))
    .map(name => devDependencies[name] == null ? name : `${name}@${devDependencies[name]}`)
}

/** What a document has told its reader to install, above a line. */
function namedAbove (file: string, line: number): string[] {
  const above = readFileSync(join(ROOT, file), 'utf8').split('\n').slice(0, line - 1)

  return above.flatMap(text => /^\s*npm install (.*)$/.exec(text)?.[1].split(/\s+/) ?? [])
    .filter(name => !name.startsWith('-'))
}

/** The packages that a program imports. */
function imported ({ code }: Example): string[] {
  return code.flatMap(line => /(?:from|import) '([^'.][^']*)'/.exec(line)?.[1] ?? [])
    .filter(name => !isBuiltin(name))
    .map(name => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/'))
}

/**
 * Run the programs of guides and READMEs, each in an empty directory, those for pages in Chromium.
 *
 * @param directory - of a project, in which the packages are installed that they name
 * @returns how many ran
 * @throws {Error} with all that failed, or import what their document does not install
 */
export async function runExamples (directory: string): Promise<number> {
  const all = programs()
  const waiting = [...all.entries()]
  const problems = all.flatMap(example => {
    const named = namedAbove(example.file, example.line)
    const missing = imported(example).filter(name => !named.includes(name))

    return missing.length === 0
      ? []
      : [`${example.file}:${example.line} imports what is not installed above it: ${missing.join(', ')}`]
  })
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next != null; next = waiting.shift()) {
      const [i, example] = next
      const { file, line, code, info } = example
      const place = join(directory, `example-${i}`)
      const said = await (info === 'browser' ? runInPage(place, example) : run(place, code.join('\n')))

      if (said != null) {
        problems.push(`${file}:${line} fails:\n${said}`)
      }
    }
  }

  await Promise.all(Array.from({ length: availableParallelism() }, work))

  if (problems.length > 0) {
    throw new Error(problems.join('\n'))
  }

  return all.length
}

/** @returns what it says if it fails */
async function run (directory: string, code: string): Promise<string | undefined> {
  mkdirSync(directory)
  writeFileSync(join(directory, 'main.ts'), code)
  writeFileSync(join(directory, 'run.mjs'), RUNNER)

  const child = spawn(process.execPath, ['run.mjs'], {
    cwd: directory,
    env: { ...process.env, IPFSZ_BOOTSTRAP: 'none' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: TIMEOUT
  })
  const [errors, [status, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')])

  return status === 0 ? undefined : `${errors}It ended with ${signal ?? status}`
}

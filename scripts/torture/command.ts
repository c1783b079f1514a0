import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { main } from '../../packages/cli/dist/main.js'

const CLI = join(import.meta.dirname, '../../packages/cli/bin/ipfsz.js')
/** A command that takes longer than this hangs, in milliseconds. */
const WEDGED = 120_000

export interface Result {
  /** null if it was killed */
  code: number | null
  stdout: Buffer
  stderr: string
  /** How long it ran, in milliseconds. */
  ms: number
  /** Whether it hung and had to be stopped. */
  wedged: boolean
}

/** When a process is killed. */
export interface Moment {
  /** Milliseconds after `from`. */
  after: number
  /** The next change of a directory, or the first output. By default the start of the process. */
  from?: { change: string } | 'print'
}

/** Thrown when the command breaks one of its promises. */
export class Violation extends Error {
  static override readonly name = 'Violation'
  override readonly name = 'Violation'
}

/** Run the command to its end in this process. */
export async function runHere (directory: string, repo: string, args: readonly string[]): Promise<Result> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
  const signal = AbortSignal.timeout(WEDGED)
  const since = performance.now()
  const code = await main(['node', CLI, ...args], {
    stdin: Readable.from([]),
    stdinIsPiped: false,
    stdout: collect(stdout),
    stderr: collect(stderr),
    env: environment(directory, repo),
    cwd: directory,
    now: Date.now,
    signal
  })

  return {
    code,
    stdout: Buffer.concat(stdout),
    stderr: Buffer.concat(stderr).toString(),
    ms: performance.now() - since,
    wedged: signal.aborted
  }
}

/** Like `runHere`, but throws if the command fails. */
export async function mustRun (directory: string, repo: string, args: readonly string[]): Promise<Buffer> {
  const result = await runHere(directory, repo, args)

  if (result.code !== 0) {
    throw new Violation(`ipfsz ${args.join(' ')} ${describeEnd(result)}`)
  }

  return result.stdout
}

/** Run the command in its own process, and kill it at `moment` if it still runs. */
export async function runAndKill (
  directory: string,
  repo: string,
  args: readonly string[],
  stdin: Uint8Array,
  moment: Moment | undefined
): Promise<Result> {
  const since = performance.now()
  let killer: NodeJS.Timeout | undefined
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: directory,
    env: environment(directory, repo),
    stdio: ['pipe', 'pipe', 'pipe']
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  let wedged = false
  const watchdog = setTimeout(() => { wedged = child.kill('SIGKILL') }, WEDGED)
  const killSoon = (): void => { killer ??= setTimeout(() => { child.kill('SIGKILL') }, moment?.after) }
  const watcher = typeof moment?.from === 'object' ? watch(moment.from.change, killSoon) : undefined

  if (moment?.from === 'print') {
    child.stdout.once('data', killSoon)
  } else if (moment != null && watcher == null) {
    killSoon()
  }

  // a killed process does not read all of its stdin
  pipeline(Readable.from([stdin]), child.stdin).catch(() => {})

  try {
    const [stdout, stderr, code] = await Promise.all([buffer(child.stdout), text(child.stderr), ended])

    return { code, stdout, stderr, ms: performance.now() - since, wedged }
  } finally {
    clearTimeout(watchdog)
    clearTimeout(killer)
    watcher?.close()
  }
}

/** The objects that `--json` printed. An incomplete last line is ignored. */
export function parseLines (stdout: Buffer): Array<Record<string, string | undefined>> {
  return stdout.toString().split('\n').slice(0, -1).map(line => JSON.parse(line) as Record<string, string | undefined>)
}

export function describeEnd ({ code, stderr, wedged }: Result): string {
  return wedged ? `did not end within ${WEDGED} ms` : `ended with ${code ?? 'SIGKILL'}: ${stderr.trim()}`
}

function environment (directory: string, repo: string): Record<string, string | undefined> {
  // without bootstrap peers, it never contacts other machines
  return { PATH: process.env.PATH, HOME: directory, IPFSZ_PATH: repo, IPFSZ_BOOTSTRAP: 'none' }
}

function collect (chunks: Buffer[]): Writable {
  return new Writable({
    write (chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    }
  })
}

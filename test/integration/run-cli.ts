import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { expect, it as base } from 'vitest'
import { main } from '../../packages/cli/dist/main.js'
import type { ChildProcessByStdio } from 'node:child_process'

/** The built command, as npm links it. */
export const CLI = fileURLToPath(new URL('../../packages/cli/bin/ipfsz.js', import.meta.url))

export type Process = ChildProcessByStdio<Writable, Readable, Readable>

interface WithEnv {
  /** Added to PATH, to HOME and IPFSZ_PATH inside the sandbox, and to IPFSZ_BOOTSTRAP=none. */
  env?: Record<string, string | undefined>
}

interface WithStdin {
  /** The command's stdin, empty by default. */
  stdin?: Uint8Array | AsyncIterable<Uint8Array>
}

export interface RunOptions extends WithEnv, WithStdin {
  /** Aborted in place of Ctrl-C. */
  signal?: AbortSignal
  /** Called with what is written to stdout. */
  onPrint?: (text: string) => void
  /** Called with what is written to stderr. */
  onNote?: (text: string) => void
}

export interface StartOptions extends WithEnv {
  /** A module of `preload/` that runs in the process before the command does. */
  preload?: string
}

export interface SpawnOptions extends StartOptions, WithStdin {}

export interface RunResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: Buffer
  stderr: string
}

/** The directory of one test, with a repo in it. It is deleted after the test. */
export interface Sandbox {
  /** The working directory and HOME of the command. */
  readonly directory: string
  readonly repo: string
  /** Run the built command to its end, in this process: a start costs half a second. */
  run (args: readonly string[], options?: RunOptions): Promise<RunResult>
  /** Run the command to its end in its own process: for locks, memory, preloads and other nodes. */
  spawn (args: readonly string[], options?: SpawnOptions): Promise<RunResult>
  /** Start the command in its own process, for tests that stop it. It is killed after the test. */
  start (args: readonly string[], options?: StartOptions): Process
  /** Run a line of sh, in which `ipfsz` is the command. */
  shell (line: string): Promise<RunResult>
  /** Add bytes to the repo, and return the CID. */
  add (bytes: Uint8Array, ...args: string[]): Promise<string>
  /** Write a file beside the repo, and return its path. */
  write (name: string, bytes: Uint8Array): Promise<string>
}

/** Vitest's `it`, with a sandbox for each test that asks for one. */
export const it = base.extend<{ sandbox: Sandbox }>({
  sandbox: async ({ onTestFinished }, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-test-'))
    const children: Process[] = []

    // Not below `use`, which ends first: what a test closes at its end, such as a page, still reads from here.
    onTestFinished(async () => {
      children.forEach(child => child.kill('SIGKILL'))
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    })

    await use(makeSandbox(directory, children))
  }
})

/** A sandbox for several tests. Without `start`, it leaves nothing running. */
export function makeSandbox (directory: string, children: Process[] = []): Sandbox {
  const repo = join(directory, 'repo')
  const baseEnv = {
    PATH: process.env.PATH,
    HOME: directory,
    IPFSZ_PATH: repo,
    // no peer outside of this machine is contacted
    IPFSZ_BOOTSTRAP: 'none',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE
  }

  const launch = (command: string, args: readonly string[], { env, preload }: StartOptions = {}): Process => {
    const child = spawn(command, args, {
      cwd: directory,
      env: {
        ...baseEnv,
        ...preload == null ? {} : { NODE_OPTIONS: `--import=${new URL(`preload/${preload}`, import.meta.url)}` },
        ...env
      },
      stdio: ['pipe', 'pipe', 'pipe']
    })

    // a process may end before it has read all of its stdin
    child.stdin.on('error', () => {})
    children.push(child)

    return child
  }

  const sandbox: Sandbox = {
    directory,
    repo,

    async run (args, { env, stdin, onPrint, onNote, signal = new AbortController().signal } = {}) {
      const [stdout, stderr] = [new Collector(onPrint), new Collector(onNote)]
      const code = await main(['node', CLI, ...args], {
        stdin: stdin instanceof Uint8Array ? Readable.from([stdin]) : stdin ?? Readable.from([]),
        stdinIsPiped: stdin != null,
        stdout,
        stderr,
        env: { ...baseEnv, ...env },
        cwd: directory,
        now: Date.now,
        signal
      })

      return { code, signal: null, stdout: stdout.bytes(), stderr: stderr.bytes().toString() }
    },

    async spawn (args, options = {}) {
      return finish(launch(process.execPath, [CLI, ...args], options), options.stdin)
    },

    start (args, options) {
      return launch(process.execPath, [CLI, ...args], options)
    },

    async shell (line) {
      return finish(
        launch('sh', ['-c', `ipfsz () { "$NODE" "$CLI" "$@"; }; ${line}`], { env: { NODE: process.execPath, CLI } })
      )
    },

    async add (bytes, ...args) {
      const { code, stdout, stderr } = await sandbox.run(['add', '-Q', ...args, '-'], { stdin: bytes })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })

      return stdout.toString().trim()
    },

    async write (name, bytes) {
      const path = join(directory, name)
      await writeFile(path, bytes)

      return path
    }
  }

  return sandbox
}

/** A stream that keeps what is written to it. */
class Collector extends Writable {
  readonly #chunks: Uint8Array[] = []

  constructor (onWrite?: (text: string) => void) {
    super({
      write: (chunk: Uint8Array, _encoding, done) => {
        // a copy: the command may free what was written
        this.#chunks.push(new Uint8Array(chunk))
        onWrite?.(new TextDecoder().decode(chunk))
        done()
      }
    })
  }

  bytes (): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** Feed a process, and wait for its end. */
export async function finish (child: Process, stdin: WithStdin['stdin'] = new Uint8Array(0)): Promise<RunResult> {
  const source = stdin instanceof Uint8Array ? Readable.from([stdin]) : Readable.from(stdin)
  const exit = new Promise<Pick<RunResult, 'code' | 'signal'>>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => { resolve({ code, signal }) })
  })

  // not awaited: a source that stalls outlives the process
  pipeline(source, child.stdin).catch(() => {})
  const [stdout, stderr, end] = await Promise.all([buffer(child.stdout), text(child.stderr), exit])

  return { ...end, stdout, stderr }
}

/** Expect this exit code, one line on stderr and nothing on stdout. */
export function expectFailure (result: RunResult, code: number): void {
  expect({ ...result, stdout: result.stdout.toString() }).toEqual({
    code,
    signal: null,
    stdout: '',
    stderr: expect.stringMatching(/^ipfsz: [^\n]+\n$/)
  })
}

/** Expect exit code 0 and nothing on stderr. */
export function expectSuccess ({ code, signal, stderr }: RunResult): void {
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
}

/** The objects that `--json` prints, one per line. */
export function parseLines (stdout: Buffer): Array<Record<string, unknown>> {
  const lines = stdout.toString().split('\n')
  expect(lines.pop()).toBe('')

  return lines.map(line => JSON.parse(line) as Record<string, unknown>)
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { main } from '../../packages/cli/dist/main.js'
import { CLI } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

/** Moves to the start of the line, and deletes it. */
const CLEAR = '\r\u001b[K'

/** What a command showed on a terminal. */
export interface Screen {
  code: number
  /** The lines that stayed: results, notes and errors. */
  lines: string[]
  /** The lines that were deleted again: progress bars. */
  bars: string[]
}

/**
 * Run the command on a terminal of this width. Every look at the clock takes two seconds, so that each piece of work
 * is long enough for a progress bar.
 */
export async function runOnTerminal (
  { directory, repo }: Pick<Sandbox, 'directory' | 'repo'>,
  args: readonly string[],
  columns: number
): Promise<Screen> {
  let text = ''
  let time = Date.now()
  // both write to one screen
  const stream = (): Writable =>
    Object.assign(
      new Writable({
        write (chunk: Uint8Array, _encoding, done) {
          text += Buffer.from(chunk).toString()
          done()
        }
      }),
      { isTTY: true, columns }
    )

  const code = await main(['node', CLI, ...args], {
    stdin: Readable.from([]),
    stdinIsPiped: false,
    stdout: stream(),
    stderr: stream(),
    env: { IPFSZ_PATH: repo, IPFSZ_BOOTSTRAP: 'none' },
    cwd: directory,
    now: () => time += 2000,
    signal: new AbortController().signal
  })

  return { code, ...read(text) }
}

/**
 * Run a line of sh on a pseudo terminal, in a process of its own with the real clock.
 *
 * @param line - `"$NODE" "$CLI"` runs the command
 * @param shown - what it shows while it waits for `onShown`
 */
export async function runOnPseudoTerminal (
  { directory, repo }: Pick<Sandbox, 'directory' | 'repo'>,
  line: string,
  columns: number,
  { shown, onShown }: { shown: RegExp, onShown: () => Promise<void> }
): Promise<Screen> {
  // `script` makes pseudo terminals, and is part of util-linux
  const terminal = spawn('script', ['-qec', `stty cols ${columns}; ${line}`, '/dev/null'], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      SHELL: '/bin/sh',
      NODE: process.execPath,
      CLI,
      IPFSZ_PATH: repo,
      IPFSZ_BOOTSTRAP: 'none',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE
    },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const exit = once(terminal, 'exit')
  let text = ''

  try {
    for await (const bytes of terminal.stdout.iterator({ destroyOnReturn: false })) {
      if (shown.test(text += String(bytes))) {
        break
      }
    }

    await onShown()

    for await (const bytes of terminal.stdout) {
      text += String(bytes)
    }
  } finally {
    terminal.kill('SIGKILL')
  }

  const [code] = await exit as [number]

  return { code, ...read(text) }
}

/** Read what was written to a terminal. */
export function read (text: string): Pick<Screen, 'lines' | 'bars'> {
  const rows = text.replaceAll('\r\n', '\n').split('\n')

  return {
    lines: rows.map(row => row.split(CLEAR).at(-1) ?? '').filter(Boolean),
    bars: rows.flatMap(row => row.split(CLEAR).slice(0, -1)).filter(Boolean)
  }
}

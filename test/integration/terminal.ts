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

/** Read what was written to a terminal. */
export function read (text: string): Pick<Screen, 'lines' | 'bars'> {
  const rows = text.replaceAll('\r\n', '\n').split('\n')

  return {
    lines: rows.map(row => row.split(CLEAR).at(-1) ?? '').filter(Boolean),
    bars: rows.flatMap(row => row.split(CLEAR).slice(0, -1)).filter(Boolean)
  }
}

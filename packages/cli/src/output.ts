import { once } from 'node:events'
import { Progress } from './progress.ts'
import type { Io, OutputStream } from './io.ts'

export interface OutputInit {
  json: boolean
  verbose: boolean
}

/** Where a command says things: data to stdout, everything else to stderr. */
export class Output {
  readonly json: boolean
  readonly verbose: boolean
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly #now: () => number

  constructor ({ stdout, stderr, now }: Pick<Io, 'stdout' | 'stderr' | 'now'>, { json, verbose }: OutputInit) {
    this.json = json
    this.verbose = verbose
    this.stdout = stdout
    this.stderr = stderr
    this.#now = now
  }

  /** A result: an object a line with `--json`, otherwise the text. */
  result (value: Record<string, unknown>, text: string): void {
    this.stdout.write(`${this.json ? JSON.stringify(value, replacer) : text}\n`)
  }

  /** Bytes, waiting where stdout is slow. */
  async bytes (bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    if (!this.stdout.write(bytes)) {
      await once(this.stdout, 'drain', { signal })
    }
  }

  /** What is good to know, beside the results. */
  note (message: string): void {
    this.stderr.write(`ipfsz: ${message}\n`)
  }

  /**
   * A bar on the terminal.
   *
   * @param total - bytes to come, if that is known
   */
  progress (label: string, total?: number): Progress {
    return new Progress({ stderr: this.stderr, now: this.#now }, printable(label), total)
  }

  /** What is wrong, in one line, and with `--verbose` where it came from. */
  error (message: string, err: Error): void {
    this.stderr.write(`ipfsz: ${printable(message.replaceAll(/\s*\n\s*/g, ' '))}\n`)

    if (this.verbose) {
      this.stderr.write(`${stack(err)}\n`)
    }
  }
}

/** A name on one line: what would move the cursor is shown as its code, `\\x0a` for a new line. */
export function printable (name: string): string {
  return name.replaceAll(/\p{Cc}/gu, character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** Rows under headings, each column as wide as it needs to be. */
export function table (rows: readonly string[][]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map(row => row[column].length)))

  return rows.map(row => row.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd()).join('\n')
}

/** Numbers of any size as numbers, CIDs as text. */
function replacer (_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

function stack (err: Error): string {
  return err.cause instanceof Error ? `${err.stack}\nCaused by: ${stack(err.cause)}` : err.stack ?? String(err)
}

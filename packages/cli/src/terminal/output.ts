import { once } from 'node:events'
import { Progress } from './progress.ts'
import type { Io, OutputStream } from '../io.ts'

/** Control characters, the separators of lines and paragraphs, and what Unicode has to turn the direction of reading (UAX #9, section 2). */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

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
    this.stdout.write(`${this.json ? JSON.stringify(value, replacer).replaceAll(UNPRINTABLE, unicodeEscape) : text}\n`)
  }

  /** Bytes, waiting where stdout is slow. */
  async bytes (bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    if (!this.stdout.write(bytes)) {
      await once(this.stdout, 'drain', { signal })
    }
  }

  /** What is good to know, beside the results. */
  note (message: string): void {
    // the tabs are between columns
    this.stderr.write(`ipfsz: ${message.split('\t').map(printable).join('\t')}\n`)
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
      this.stderr.write(`${stack(err).split('\n').map(printable).join('\n')}\n`)
    }
  }
}

/**
 * A name on one line, in the order of its characters. What would move the cursor, end
 * the line or turn the direction of reading is shown as its code: `\\x0a` for a new
 * line, `\\u202e` for what makes `gpj.exe` read as `exe.jpg`.
 */
export function printable (name: string): string {
  return name.replaceAll(UNPRINTABLE, character => character <= '\u00ff' ? `\\x${hex(character, 2)}` : unicodeEscape(character))
}

function unicodeEscape (character: string): string {
  return `\\u${hex(character, 4)}`
}

function hex (character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0')
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

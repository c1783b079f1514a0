// Above 250 lines: whatever is printed first removes the progress bar, which is the state of one class.
import { hideGivenIn } from '@ipfsz/utils/hide-secrets'
import { raceSignal } from 'race-signal'
import { canRedraw, widthOf } from './columns.ts'
import { Progress } from './progress.ts'
import { alignedRow, tabbedRow, textOf } from './row.ts'
import { pairs, table } from './table.ts'
import { asTyped } from './typed-command.ts'
import { wrap } from './wrap.ts'
import type { Arrivals } from './arrivals.ts'
import type { ProgressInit } from './progress.ts'
import type { Cell } from './row.ts'
import type { Io, OutputStream } from '../io.ts'

/** Control characters, line and paragraph separators, and characters that change text direction (UAX #9, section 2). */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** An error code of the system, such as ENOENT. Codes of libraries have an underscore. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/

export interface OutputInit {
  json: boolean
  verbose: boolean
  /** Print sizes with units in pipes too. */
  human?: boolean
  /** What the user typed, which messages may repeat: secrets in it are left out. */
  given?: readonly string[]
  /** The repo that the user named, quoted for a shell. */
  repo?: string | undefined
}

/** The output of a command: results go to stdout, everything else to stderr. */
export class Output {
  readonly json: boolean
  readonly verbose: boolean
  readonly human: boolean
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly #now: () => number
  readonly #env: Io['env']
  readonly #command: string | undefined
  readonly #given: readonly string[]
  readonly #repo: string | undefined
  /** The last progress bar that was created. It is removed before anything is printed. */
  #progress: Progress | undefined
  /** What is fetched: bars say from where. */
  #arrivals: Arrivals | undefined
  /** The headings of the next row. */
  #heading: readonly Cell[] | undefined
  /** Whether a file is being written to the terminal: a bar would delete its lines. */
  #showsBytes = false

  constructor (
    { stdout, stderr, now, env, command }: Pick<Io, 'stdout' | 'stderr' | 'now' | 'env' | 'command'>,
    { json, verbose, human = false, given = [], repo }: OutputInit
  ) {
    this.json = json
    this.verbose = verbose
    this.human = human
    this.stdout = stdout
    this.stderr = stderr
    this.#now = now
    this.#env = env
    this.#command = command
    this.#repo = repo
    // there may be thousands of paths, and hardly ever a URL
    this.#given = [...given, env.IPFSZ_PATH ?? ''].filter(text => text.includes(':') || text.includes('%'))
  }

  /** A message with each command as the user types it: after `npx` if that ran this one, and with its `--repo`. */
  typed (text: string): string {
    return asTyped(text, this.#command, this.#repo)
  }

  /** Print a result: one JSON object a line with `--json`, otherwise the text. */
  result (value: Record<string, unknown>, text: string): void {
    this.#progress?.clear()
    this.stdout.write(`${this.json ? toJson(value) : text}\n`)
  }

  /** Print a result that is a line of a list: with tabs between its cells, or aligned on a terminal. */
  row (value: Record<string, unknown>, cells: readonly Cell[]): void {
    if (this.#heading != null) {
      this.result({}, alignedRow(this.#heading, this.width))
      this.#heading = undefined
    }

    this.result(value, this.stdout.isTTY === true ? alignedRow(cells, this.width) : this.tabbed(cells))
  }

  /** Head the rows that follow, if there are any. Only people see it: a script would take it for a result. */
  heading (cells: readonly Cell[]): void {
    this.#heading = this.json || this.stdout.isTTY !== true ? undefined : cells
  }

  /** Print a result of labels with values, then sentences: with tabs after the labels, or aligned on a terminal. */
  labelled (
    value: Record<string, unknown>,
    rows: ReadonlyArray<readonly [string, Cell]>,
    ...sentences: string[]
  ): void {
    const lines = this.stdout.isTTY === true
      ? [pairs(rows.map(([label, value]) => [label, textOf(value)] as const), this.width)]
      : rows.map(row => this.tabbed(row))

    this.result(value, [...lines, ...sentences.map(text => wrap(this.typed(text), this.width))].join('\n'))
  }

  /** A table whose first row has the headings: aligned on terminals, with tabs in pipes. */
  table (rows: ReadonlyArray<readonly Cell[]>): string {
    return this.stdout.isTTY === true
      ? table(rows.map(row => row.map(textOf)), this.width)
      : rows.map(row => this.tabbed(row)).join('\n')
  }

  /** A line for scripts, with sizes in bytes unless `--human` asks for units. */
  tabbed (cells: readonly Cell[]): string {
    return tabbedRow(cells, this.human)
  }

  /** Print a result that is a sentence. A terminal gets it in lines that fit. */
  sentence (value: Record<string, unknown>, text: string): void {
    this.result(value, wrap(this.typed(text), this.width))
  }

  /** The columns of stdout that may be used. Infinity if it is no terminal. */
  get width (): number {
    return widthOf(this.stdout)
  }

  /** Write bytes to stdout, and wait until they are written: their memory may then be used again. */
  async bytes (bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    if (this.stdout.isTTY === true) {
      this.#showsBytes = true
      this.#progress?.end()
    }

    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.stdout.write(bytes, err => {
      if (err == null) {
        resolve()
      } else {
        reject(err)
      }
    })

    await raceSignal(promise, signal)
  }

  /** Whether anybody sees a progress bar. What only a bar needs is not worth computing otherwise. */
  get showsProgress (): boolean {
    return canRedraw(this.stderr, this.#env)
  }

  /** Print a note on stderr. */
  note (message: string): void {
    this.#progress?.clear()
    // keep tabs: they separate columns
    const line = this.typed(this.#hide(message))

    this.stderr.write(`${this.#fit(`ipfsz: ${line.split('\t').map(printable).join('\t')}`)}\n`)
  }

  /**
   * Create a progress bar. It replaces the last one.
   *
   * @param total - the total number of bytes, or of things, if known
   * @param thing - what is counted, such as `block`, if not bytes
   */
  progress (label: string, total?: number, thing?: string): Progress {
    return this.#show({ label, total, thing })
  }

  /**
   * Show a label while something goes on whose steps cannot be counted, until the function that this returns is called.
   * It replaces the bar that is there, unless that is to be kept.
   */
  begin (label: string, { keepsBar = false }: { keepsBar?: boolean } = {}): () => void {
    if (keepsBar && this.#progress?.isOpen === true) {
      return () => {}
    }

    const progress = this.#show({ label, isUncounted: true })

    return () => { progress.end() }
  }

  /** Let all bars say what is fetched, and from where, until the function that this returns is called. */
  showArrivals (arrivals: Arrivals): () => void {
    this.#arrivals = arrivals

    return () => {
      this.#arrivals = undefined
      this.#progress?.end()
    }
  }

  /** Show what is fetched if no bar does. The bar ends with the next one, or with the arrivals. */
  waiting (label: string): void {
    if (this.#arrivals != null && this.#progress?.isOpen !== true && !this.#showsBytes) {
      this.#show({ label, isFetch: true })
    }
  }

  #show (init: ProgressInit): Progress {
    this.#progress?.end()
    this.#progress = new Progress(
      { stderr: this.stderr, now: this.#now, env: this.#env },
      { ...init, label: printable(this.#hide(init.label)), arrivals: this.#arrivals }
    )

    return this.#progress
  }

  /** A message without secrets that the user typed, or that are in URLs. */
  #hide (message: string): string {
    return hideGivenIn(message, this.#given)
  }

  /** A message in lines that fit the terminal, and on one line if stderr is none. */
  #fit (message: string): string {
    return wrap(message, widthOf(this.stderr))
  }

  /** Print an error on one line, and with `--verbose` its stack. With `--json`, all of it is one object on one line. */
  error (message: string, err: Error): void {
    const line = this.typed(this.#hide(message.replaceAll(/\s*\n\s*/g, ' ')))

    this.#progress?.clear()

    if (this.json) {
      const more = this.verbose ? { stack: this.#hide(stack(err)) } : {}
      this.stderr.write(`${toJson({ name: err.name, message: line, ...aboutOf(err), ...more })}\n`)
      return
    }

    this.stderr.write(`${this.#fit(`ipfsz: ${printable(line)}`)}\n`)

    if (this.verbose) {
      this.stderr.write(`${this.#hide(stack(err)).split('\n').map(printable).join('\n')}\n`)
    }
  }
}

/**
 * Escape a name for the terminal. Characters that would move the cursor, end the line or change the text direction
 * become codes: `\\x0a` for a line feed, `\\u202e` for the override that shows `gpj.exe` as `exe.jpg`.
 */
export function printable (name: string): string {
  return name.replaceAll(
    UNPRINTABLE,
    character => character <= '\u00ff' ? `\\x${hex(character, 2)}` : unicodeEscape(character)
  )
}

function toJson (value: Record<string, unknown>): string {
  return JSON.stringify(value, replacer).replaceAll(UNPRINTABLE, unicodeEscape)
}

/** What an error is about: the CID, and the code of a system error. */
function aboutOf (err: Error): Record<string, string | undefined> {
  let cid: string | undefined
  let code: string | undefined

  for (let at: unknown = err; at instanceof Error; at = at.cause) {
    const { cid: own, root, code: ownCode } = at as Error & Record<'cid' | 'root' | 'code', unknown>
    cid ??= (own ?? root)?.toString()
    code ??= SYSTEM_CODE.exec(String(ownCode))?.[0]
  }

  return { cid, code }
}

function unicodeEscape (character: string): string {
  return `\\u${hex(character, 4)}`
}

function hex (character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0')
}

/** For JSON.stringify: bigints become numbers. */
function replacer (_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

function stack (err: Error): string {
  const own = err.stack ?? String(err)

  return err.cause instanceof Error ? `${own}\nCaused by: ${stack(err.cause)}` : own
}

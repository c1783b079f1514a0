import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { summary, toldBy } from './normalise.ts'
import type { RunOptions, RunResult, Sandbox } from '../run-cli.ts'

/** Rows of the output of a command are this deep: they stand on one line each. */
const MAX_DEPTH = 2

export interface StepOptions extends Pick<RunOptions, 'stdin' | 'env'> {
  /** Fields that differ from one build to the next, such as sizes of a bundle. */
  volatile?: readonly string[]
}

/** Runs commands one after the other, and keeps what they told. */
export class Recorder {
  readonly #sandbox: Sandbox
  readonly #told: Record<string, unknown> = {}
  readonly #variables = new Map<string, string>()

  constructor (sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  /**
   * Run a command line of words without spaces (`''` is an empty one), and return its result. `name = line` keeps the
   * last CID that it prints, which `$name` stands for in later lines.
   */
  async run (line: string, { volatile = [], ...options }: StepOptions = {}): Promise<RunResult> {
    const [, name, command] = /^(?:(\w+) = )?(.*)$/.exec(line) ?? []
    const result = await this.#sandbox.run(
      command.split(' ').filter(word => word !== '').map(word => word === "''" ? '' : this.#replace(word)),
      options
    )

    if (name != null) {
      this.#variables.set(name, lastCid(result.stdout.toString()))
    }

    this.keep(command, result, volatile)

    return result
  }

  /** Run command lines with `--json`, one a line. */
  async json (lines: string, options?: StepOptions): Promise<void> {
    for (const line of linesOf(lines)) {
      await this.run(`${line} --json`, options)
    }
  }

  /** Run command lines that change nothing, one a line: with `--json`, and as in a pipe. */
  async both (lines: string, options?: StepOptions): Promise<void> {
    for (const line of linesOf(lines)) {
      await this.run(`${line} --json`, options)
      await this.run(line.replace(/^\w+ = /, ''), options)
    }
  }

  /** The CID that a line has kept. */
  variable (name: string): string {
    const value = this.#variables.get(name)

    if (value == null) {
      throw new Error(`no line kept $${name}`)
    }

    return value
  }

  /** Keep what is in a directory: names, and modes, times and bytes of what was written there. */
  async files (path: string, { names = false }: { names?: boolean } = {}): Promise<void> {
    const directory = join(this.#sandbox.directory, path)
    const found = (await readdir(directory, { recursive: true })).toSorted()
    this.#keep(
      `files ${path}`,
      names
        // packs have random names
        ? found.map(name => name.replace(/[0-9a-f]{32}/, '<pack>'))
        : Object.fromEntries(await Promise.all(found.map(async name =>
          [name, await describe(join(directory, name))] as const)))
    )
  }

  /** Keep what a command told that something else has run. */
  keep (command: string, result: RunResult, volatile: readonly string[] = []): void {
    this.#keep(command, toldBy(command, result, { directory: this.#sandbox.directory, volatile }))
  }

  /** The snapshot: what each command told, in their order. */
  toString (): string {
    const steps = Object.entries(this.#told).map(([key, told]) => `  ${JSON.stringify(key)}: ${format(told)}`)

    return `{\n${steps.join(',\n')}\n}\n`
  }

  #keep (key: string, value: unknown): void {
    let unique = key

    for (let n = 2; unique in this.#told; n++) {
      unique = `${key} (${n})`
    }

    this.#told[unique] = value
  }

  #replace (word: string): string {
    return word.replaceAll(/\$(\w+)/g, (_, name: string) => this.variable(name))
  }
}

/** JSON with a line for each row of the output, so that a change shows the rows that it changes. */
function format (value: unknown, indent = '  ', depth = 0): string {
  if (depth === MAX_DEPTH || typeof value !== 'object' || value == null) {
    return JSON.stringify(value)
  }

  const within = `${indent}  `
  const lines = Object.entries(value).map(([key, item]) =>
    `${within}${Array.isArray(value) ? '' : `${JSON.stringify(key)}: `}${format(item, within, depth + 1)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'

  return lines.length === 0 ? open + close : `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function linesOf (lines: string): string[] {
  return lines.split('\n').map(line => line.trim()).filter(line => line !== '')
}

function lastCid (json: string): string {
  return /.*"cid":"(b[a-z2-7]+)"/s.exec(json)?.[1] ?? ''
}

/** The mtime only if it was restored: otherwise it is that of now. */
async function describe (file: string): Promise<Record<string, unknown>> {
  const stats = await lstat(file)
  const mtime = stats.mtime.getUTCFullYear() < 2020 ? { mtime: stats.mtime.toISOString() } : {}

  if (stats.isSymbolicLink()) {
    return { link: await readlink(file), ...mtime }
  }

  return {
    ...stats.mode & 0o111 && stats.isFile() ? { executable: true } : {},
    ...mtime,
    ...stats.isFile() ? { content: summary(await readFile(file)) } : {}
  }
}

import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import type { RunResult } from '../run-cli.ts'

/** What a command told, without what differs from one run, machine or release to the next. */
export interface Told {
  code: number | null
  stdout: unknown
  stderr?: unknown
}

/** Commands that print pins, in the order of their files on the disk. */
const ANY_ORDER = /^(?:--repo \w+ )?(?:pin ls|du|verify --all|repair|complete)\b/
/** More notes than this are the help of a command. */
const MAX_NOTES = 5
/** More lines or characters than this are kept as a hash. */
const MAX_LINES = 40
const MAX_LENGTH = 20_000
const HASH_LENGTH = 16

/** Fields whose values are of this process, this machine, or the time that something took. */
const VOLATILE = new Set([
  'pid', 'node', 'platform', 'arch', 'version', 'agent', 'threads', 'seconds', 'compress', 'decompress', 'margin'
])

/** Texts that differ each time, and what stands for them. Inputs are of 2001, and their times stay. */
const TOKENS: ReadonlyArray<readonly [RegExp, string]> = [
  // how small packs are depends on the order in which threads write blocks
  [/^((?:packs|all)\t\d+\t\d+)\t\d+\t[\d.]+$/gm, '$1\t<packed>'],
  [/^((?:blocks|both)\t\d+)\t\d+\t[\d.]+$/gm, '$1\t<packed>'],
  [/^\d+\t\d+\t\d+\t\d+$/gm, '<packs>'],
  [/Freed .* of disk space(?:; deleted blocks still take .*)?/g, 'Freed <packed>'],
  [/\b20[2-9]\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, '<time>'],
  [/\b12D3Koo\w{45}/g, '<peer>'],
  [/\bk51\w{59}/g, '<name>'],
  [/(\/(?:tcp|udp)\/)\d+/g, '$1<port>'],
  [/((?:127\.0\.0\.1|localhost):)\d+/g, '$1<port>'],
  [/\bipfsz([ /])\d+\.\d+\.\d+\S*/g, 'ipfsz$1<version>']
]

/**
 * What a command told programs. Of messages and notes for people, only that there are some: their words may change.
 *
 * @param init.directory - of the test, which begins absolute paths
 * @param init.volatile - more fields that differ each time
 */
export function toldBy (
  command: string,
  { code, stdout, stderr }: RunResult,
  { directory, volatile }: { directory: string, volatile: readonly string[] }
): Told {
  const clean = (text: string): string =>
    TOKENS.reduce(
      (cleaned, [pattern, token]) => cleaned.replaceAll(pattern, token),
      text.replaceAll(relative('', directory), '<dir>').replaceAll(directory, '<dir>')
    )
  const stable = (value: unknown, key = ''): unknown => {
    if (VOLATILE.has(key) || volatile.includes(key)) {
      return `<${key}>`
    }

    if (isOfPacks(value)) {
      return stable(withoutPackSizes(value))
    }

    if (Array.isArray(value)) {
      return value.map(item => stable(item))
    }

    if (typeof value === 'object' && value != null) {
      return Object.fromEntries(
        Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, item]) => [key, stable(item, key)])
      )
    }

    return typeof value === 'string' ? clean(value) : value
  }
  const output = outputOf(stdout, clean, stable)
  const told = { code, stdout: ANY_ORDER.test(command) && Array.isArray(output) ? byText(output) : output }
  const notes = stderr.trimEnd().split('\n').map(line => stable(noteOf(line)))

  return stderr === '' ? told : { ...told, stderr: notes.length > MAX_NOTES ? '<help>' : notes }
}

function outputOf (stdout: Buffer, clean: (text: string) => string, stable: (value: unknown) => unknown): unknown {
  const text = stdout.toString()

  if (!stdout.equals(Buffer.from(text))) {
    return summary(stdout)
  }

  const lines = text.split('\n').map(line => line.startsWith('{') ? stable(JSON.parse(line)) : clean(line))

  // what ends with a line feed has no line behind it
  if (lines.at(-1) === '') {
    lines.pop()
  }

  return lines.length > MAX_LINES || text.length > MAX_LENGTH ? summary(Buffer.from(clean(text))) : lines
}

function byText (values: unknown[]): unknown[] {
  return values.toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
}

/** An error of `--json` without its message, or that something was said to people. */
function noteOf (line: string): unknown {
  if (!line.startsWith('{')) {
    return '<note>'
  }

  const { message, ...error } = JSON.parse(line) as Record<string, unknown>

  return { ...error, message: message === '' ? '' : '<message>' }
}

/** What is too long to read, or not text. */
export function summary (bytes: Uint8Array): string {
  return `${bytes.byteLength} bytes, sha2-256 ${createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH)}`
}

type OfPacks = Record<string, unknown> & { packs: Record<string, unknown> }

/** What `stats` and `gc` tell of a repo in packs. */
function isOfPacks (value: unknown): value is OfPacks {
  const { packs } = Object(value) as Partial<OfPacks>

  return typeof packs === 'object' && ('freed' in packs || 'dead' in packs)
}

function withoutPackSizes (value: OfPacks): Record<string, unknown> {
  const packed = ['codecs', 'packs', 'ratio', 'saved', 'storedSize'].filter(key => key in value)

  return { ...value, ...Object.fromEntries(packed.map(key => [key, `<${key}>`])) }
}

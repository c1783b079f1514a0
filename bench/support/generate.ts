import { random } from '../../test/support/data.ts'

const WORDS = 2000
const PAGE = 4096

/**
 * Generate files of about `size` bytes. They are the same everywhere, and compress about
 * as well as real files of their kind.
 */
export const GENERATORS: Readonly<Record<string, (size: number, seed?: number) => Uint8Array>> = {
  'table.csv': (size, seed = 1) => lines(
    size,
    seed,
    (next, i) => [
      i,
      20_200_101 + i % 365,
      pick(NAMES, next),
      (next() % 100_000 / 100).toFixed(2),
      next() % 5000,
      pick(STATES, next)
    ].join(',')
  ),
  'events.jsonl': (size, seed = 2) => lines(
    size,
    seed,
    (next, i) => JSON.stringify({
      id: i,
      time: 1_700_000_000 + i * 7 + next() % 7,
      user: `user-${next() % 5000}`,
      event: pick(STATES, next),
      tags: [pick(NAMES, next), pick(NAMES, next)],
      text: sentence(next, 8),
      value: next() % 1_000_000
    })
  ),
  'prose.txt': (size, seed = 3) => lines(size, seed, next => sentence(next, 14)),
  'source.ts': (size, seed = 4) => lines(
    size,
    seed,
    (next, i) => {
      const start = `${'  '.repeat(next() % 4)}${pick(KEYWORDS, next)} ${word(next)}`

      return i % 7 === 0 ? `${start} {` : `${start} (${word(next)}, ${word(next)})`
    }
  ),
  'pages.db': pages,
  'random.bin': size => {
    const next = random(5)

    return Uint8Array.from({ length: size }, () => next() & 0xff)
  }
}

const NAMES = ['Seoul', 'Busan', 'Daegu', 'Incheon', 'Gwangju', 'Daejeon', 'Ulsan', 'Sejong', 'Gyeonggi', 'Gangwon']
const STATES = ['confirmed', 'released', 'deceased', 'isolated', 'contact', 'overseas inflow']
const KEYWORDS = ['const', 'return', 'if', 'for await', 'export function', 'await', 'import', 'throw new', 'let', '//']
const VOCABULARY = makeVocabulary()

/** Many small source files, by path. */
export function generateTree (files: number): Map<string, Uint8Array> {
  const next = random(6)

  return new Map(Array.from({ length: files }, (_, i) => {
    return [
      `part-${i % 8}/file-${i}.ts`,
      GENERATORS[i % 2 === 0 ? 'source.ts' : 'prose.txt'](1000 + next() % 40_000, 100 + i)
    ]
  }))
}

function lines (size: number, seed: number, line: (next: () => number, i: number) => string): Uint8Array {
  const next = random(seed)
  const bytes = Buffer.alloc(size)

  for (let i = 0, filled = 0; filled < size; i++) {
    filled += bytes.write(`${line(next, i)}\n`, filled)
    // a character that does not fit is left out
    filled = filled >= size - 4 ? size : filled
  }

  return bytes
}

/** Pages of a database: a header, pointers to records at the end, and zeros between. */
function pages (size: number): Uint8Array {
  const next = random(7)
  const bytes = Buffer.alloc(size)

  for (let start = 0, row = 0; start + PAGE <= size; start += PAGE) {
    let top = PAGE
    let count = 0

    while (top > 8 + count * 2 + 150) {
      const record = Buffer.from(`${row++}\u0000${word(next)}\u0000${sentence(next, 6)}\u0000${next() % 1e9}`)
      top -= record.byteLength
      record.copy(bytes, start + top)
      bytes.writeUInt16BE(top, start + 8 + count++ * 2)
    }

    bytes.writeUInt8(13, start)
    bytes.writeUInt16BE(count, start + 3)
  }

  return bytes
}

function makeVocabulary (): string[] {
  const next = random(8)

  return Array.from(
    { length: WORDS },
    () => String.fromCharCode(...Array.from({ length: 2 + next() % 9 }, () => 97 + next() % 26))
  )
}

/** A random word. The first words of the vocabulary are more frequent than the last. */
function word (next: () => number): string {
  return VOCABULARY[Math.floor(WORDS * ((next() % 1000) / 1000) ** 3)]
}

function sentence (next: () => number, words: number): string {
  return `${Array.from({ length: words }, () => word(next)).join(' ')}.`
}

function pick (values: readonly string[], next: () => number): string {
  return values[next() % values.length]
}

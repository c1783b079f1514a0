import fc from 'fast-check'
import { LITERAL_LENGTHS, MATCH_LENGTHS, OFFSETS } from '../src/format/zstd/zstd-codes.ts'
import { concat } from './fixtures.ts'
import { compressed, notLast, raw, sequences, stored } from './zstd-fixtures.ts'
import type { Codes } from '../src/format/zstd/zstd-codes.ts'
import type { Sequence, Table, Tables } from './zstd-fixtures.ts'

const MAX_BLOCK = 128 * 1024

/** Blocks and their content. */
export interface Blocks {
  blocks: Uint8Array[]
  content: Uint8Array
}

/** A length that is short most of the time. */
const length = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 20 }) },
  { weight: 3, arbitrary: fc.nat({ max: 300 }) },
  fc.nat({ max: 40_000 })
)

/** A sequence whose offset may still be impossible. */
const draft = fc.record({
  literals: length,
  offset: fc.oneof(
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: 4, max: 30 }),
    fc.integer({ min: 4, max: 2 ** 30 })
  ),
  match: length
})

/** Tables that contain every code. */
const tables: fc.Arbitrary<Tables> = fc.tuple(anyTable(LITERAL_LENGTHS), anyTable(OFFSETS), anyTable(MATCH_LENGTHS))

function anyTable ({ maxAccuracy, meanings }: Codes): fc.Arbitrary<Table> {
  return fc.oneof(fc.constant<Table>(
    'predefined'
  ), fc.tuple(fc.integer({ min: 6, max: maxAccuracy }), fc.infiniteStream(fc.nat())).map(([accuracy, numbers]) => {
    const probabilities = Array<number>(meanings.length).fill(-1)

    for (let rest = 2 ** accuracy - meanings.length; rest > 0;) {
      const code = numbers.next().value % meanings.length
      const more = Math.min(rest, 1 + numbers.next().value % 40)
      probabilities[code] = Math.abs(probabilities[code]) + more
      rest -= more
    }

    return { accuracy, probabilities }
  }))
}

/**
 * Blocks of any sequences, and their content, built byte by byte.
 *
 * @param dictionary - what matches may refer to besides the content
 */
export function anySequences (dictionary: Uint8Array = new Uint8Array(0)): fc.Arbitrary<Blocks> {
  return fc.array(
    fc.tuple(fc.array(draft, { maxLength: 60 }), fc.nat({ max: 30 }), tables),
    { minLength: 1, maxLength: 3 }
  ).map(drafts => build(drafts, dictionary))
}

type Drafts = ReadonlyArray<[list: Sequence[], more: number, tables: Tables]>

function build (drafts: Drafts, dictionary: Uint8Array): Blocks {
  const content = [...dictionary]
  const blocks: Uint8Array[] = []
  const offsets = [1, 4, 8]

  for (const [list, more, tables] of drafts) {
    const literals: number[] = []
    const possible: Sequence[] = []
    const start = content.length

    const literal = (): void => {
      // a different one each time
      const byte = Math.imul(content.length + 1, 0x9e3779b1) >>> 24
      literals.push(byte)
      content.push(byte)
    }

    for (const draft of list) {
      const sequence = { ...draft, match: draft.match + 3 }

      if (content.length - start + sequence.literals + sequence.match + more > MAX_BLOCK) {
        continue
      }

      const offset = chooseOffset(sequence, offsets, content.length + sequence.literals)

      if (offset == null) {
        continue
      }

      for (let i = 0; i < sequence.literals; i++) {
        literal()
      }

      for (let i = 0; i < sequence.match; i++) {
        content.push(content[content.length - offset])
      }

      possible.push(sequence)
    }

    for (let i = 0; i < more; i++) {
      literal()
    }

    blocks.push(notLast(compressed(raw(Uint8Array.from(literals)), sequences(possible, tables))))
  }

  // so that the window is never too small for a block
  const rest = new Uint8Array(2000)
  blocks.push(stored(rest))

  return { blocks, content: concat(Uint8Array.from(content.slice(dictionary.byteLength)), rest) }
}

/** The offset of a sequence at a position, and the next recent offsets (RFC 8878, section 3.1.1.5), if it is valid. */
function chooseOffset (sequence: Sequence, offsets: number[], position: number): number | undefined {
  if (sequence.offset <= 3) {
    const order = sequence.literals > 0 ? offsets : [offsets[1], offsets[2], offsets[0] - 1]
    const offset = order[sequence.offset - 1]

    if (offset === 0 || offset > position) {
      return undefined
    }

    const at = sequence.literals > 0 ? sequence.offset - 1 : sequence.offset
    offsets.splice(at === 3 ? 2 : at, 1)
    offsets.unshift(offset)

    return offset
  }

  if (position === 0) {
    return undefined
  }

  const offset = (sequence.offset - 3) % position || 1
  sequence.offset = offset + 3
  offsets.pop()
  offsets.unshift(offset)

  return offset
}

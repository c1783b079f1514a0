import { BARE_MEMORY, FLOOR, IN_MEMORY, ZLIB_ALONE } from '../../support/floor/names.ts'
import { distinct, find, numberOf, rowsOf, rowsUnder } from '../rows.ts'
import { atLeast } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

const FAST = 'times as fast'

/** The reads and stores for which a CompressedBlockstore should not be slower than an FsBlockstore alone. */
const READING = ['get, cached', 'first get, cached', 'first get, from the disk'].flatMap(
  what => [`${what}, 8 at a time`, `${what}, one by one`]
)

/**
 * Where blocks are compared with their hashes, the floor is the limit. Elsewhere it is what zlib takes to decode what
 * the same store has.
 */
const SIDES = [{ verify: 'length', target: 1 }, { verify: 'hash', target: 0.9 }].flatMap(
  ({ verify, target }) => ['SharedFsBlockstore', 'FsBlockstore'].map(child => ({
    side: `${child}, zstd 3, ${verify}`,
    target,
    limit: verify === 'hash' ? FLOOR : `${child}, ${ZLIB_ALONE}`
  }))
)

/** With the default options. A bare store in memory hands over the arrays that it was given. */
const MEMORY = [
  ['get, 8 at a time', 'get from memory, 8 at a time'],
  ['get, one by one', 'get from memory, one by one'],
  ['getMany', 'getMany from memory'],
  ['put, 8 at a time', 'put to memory, 8 at a time'],
  ['putMany', 'putMany to memory']
] as const
const MEMORY_TARGET = 0.9

/** Reading blocks that are compressed at rest, and writing them to memory. */
export function blockTargets (results: Results): Row[] {
  const blockstore = rowsOf(results, 'blockstore')
  const memory = rowsUnder(results, 'blockstore', IN_MEMORY)

  return (blockstore.length === 0 ? ['any files'] : distinct(blockstore, 'files')).flatMap(files => {
    const fastIn = (rows: readonly Row[], what: string) => (side: string): number | undefined =>
      numberOf(find(rows, { files, what, side }), FAST)

    return [
      ...SIDES.flatMap(({ side, target, limit }) => READING.map(what => {
        const of = fastIn(blockstore, what)

        return atLeast(
          `${what}, blocks of ${files}, ${side}: times the speed of an FsBlockstore alone`,
          target,
          of(side),
          of(limit)
        )
      })),
      ...MEMORY.map(([what, name]) => {
        const of = fastIn(memory, what)

        return atLeast(
          `${name}, blocks of ${files}, zstd 3, hash: times the speed of a ${BARE_MEMORY} alone`,
          MEMORY_TARGET,
          of(`${BARE_MEMORY}, zstd 3, hash`),
          of(FLOOR)
        )
      })
    ]
  })
}

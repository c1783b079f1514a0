import { FLOOR, ZLIB_ALONE } from '../../support/floor/names.ts'
import { distinct, find, numberOf, rowsOf } from '../rows.ts'
import { atLeast } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

const FAST = 'times as fast'

/** The reads and stores for which a CompressedBlockstore should not be slower than an FsBlockstore alone. */
const READING = ['get, cached', 'first get, cached', 'first get, from the disk'].flatMap(
  what => [`${what}, 8 at a time`, `${what}, one by one`]
)

/** Where blocks are compared with their hashes, the floor is the limit. Elsewhere zlib is, which decodes them alone. */
const SIDES = [
  { verify: 'length', target: 1, limit: ZLIB_ALONE },
  { verify: 'hash', target: 0.9, limit: FLOOR }
].flatMap(({ verify, ...rest }) => ['SharedFsBlockstore', 'FsBlockstore'].map(
  child => ({ side: `${child}, zstd 3, ${verify}`, ...rest })
))

/** Reading blocks that are compressed at rest. */
export function blockTargets (results: Results): Row[] {
  const blockstore = rowsOf(results, 'blockstore')

  return (blockstore.length === 0 ? ['any files'] : distinct(blockstore, 'files')).flatMap(
    files => SIDES.flatMap(({ side, target, limit }) => READING.map(what => {
      const of = (side: string): number | undefined => numberOf(find(blockstore, { files, what, side }), FAST)

      return atLeast(
        `${what}, blocks of ${files}, ${side}: times the speed of an FsBlockstore alone`,
        target,
        of(side),
        of(limit)
      )
    }))
  )
}

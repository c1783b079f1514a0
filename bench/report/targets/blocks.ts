import { FLOOR } from '../../support/floor/names.ts'
import { distinct, find, numberOf, rowsOf } from '../rows.ts'
import { atLeast } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

/** The reads and stores for which a CompressedBlockstore should not be slower than an FsBlockstore alone. */
const READING = ['get, cached', 'first get, cached', 'first get, from the disk'].flatMap(
  what => [`${what}, 8 at a time`, `${what}, one by one`]
)
const LENGTH = ['SharedFsBlockstore, zstd 3, length', 'FsBlockstore, zstd 3, length']

/** These compare blocks with their hashes, as the floor does: it is their limit. Both read the files themselves. */
const HASH = ['SharedFsBlockstore, zstd 3, hash', 'FsBlockstore, zstd 3, hash']

/** Reading blocks that are compressed at rest. */
export function blockTargets (results: Results): Row[] {
  const blockstore = rowsOf(results, 'blockstore')

  return (blockstore.length === 0 ? ['any files'] : distinct(blockstore, 'files')).flatMap(
    files => [...LENGTH, ...HASH].flatMap(side => READING.map(what => atLeast(
      `${what}, blocks of ${files}, ${side}: times the speed of an FsBlockstore alone`,
      HASH.includes(side) ? 0.9 : 1,
      numberOf(find(blockstore, { files, what, side }), 'times as fast'),
      HASH.includes(side) ? numberOf(find(blockstore, { files, what, side: FLOOR }), 'times as fast') : undefined
    )))
  )
}

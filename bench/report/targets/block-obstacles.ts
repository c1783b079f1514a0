import { BARE_MEMORY, FLOOR, IN_MEMORY } from '../../support/floor/names.ts'
import { distinct, find, numberOf, rowsOf, rowsUnder } from '../rows.ts'
import { brief } from '../words.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'
import type { Obstacle } from './obstacle.ts'

const PAGE = 'blockstore'
const BARE = 'FsBlockstore'
const HASH = 'FsBlockstore, zstd 3, hash'
const CACHED = 'get, cached, 8 at a time'

export const blockObstacles: readonly Obstacle[] = [
  { of: /get, .*, 8 at a time, .*, hash: times the speed of an FsBlockstore/, lines: hashed },
  { of: /get, .*, one by one, .* the speed of an FsBlockstore/, lines: oneByOne },
  { of: /get, .*, FsBlockstore, .*, length: times the speed of an FsBlockstore/, lines: inPieces },
  { of: /times the speed of a MemoryBlockstore alone/, lines: inMemory }
]

function hashed (results: Results): string[] {
  return ofFiles(rowsOf(results, PAGE), CACHED, [BARE, FLOOR, HASH], (files, [bare, floor, ours]) => (
    `**get of blocks of ${files} compressed at rest**, 8 at a time from the cache: an FsBlockstore alone reads ` +
    `${bare} MB/s, reading, decompressing and hashing alone ${floor}, a CompressedBlockstore on it ${ours}. Two ` +
    'fifths of its processor time is zstd, a fifth the hash and its copy of the block, an eighth V8 marking its heap'
  ))
}

function oneByOne (results: Results): string[] {
  const sides = [BARE, FLOOR, HASH, 'SharedFsBlockstore, zstd 3, length']

  return ofFiles(rowsOf(results, PAGE), 'get, cached, one by one', sides, (files, [bare, floor, ours, shared]) => (
    `**get of blocks of ${files} compressed at rest**, one by one from the cache: an FsBlockstore alone reads ` +
    `${bare} MB/s. Reading, decompressing and hashing alone read ${floor}, all on the calling thread, which a ` +
    `hostile frame could hold up. A CompressedBlockstore leaves that to other threads, and waits for them: ${ours} ` +
    `MB/s, or ${shared} on a SharedFsBlockstore without hashing`
  ))
}

function inPieces (results: Results): string[] {
  const names = [HASH, HASH.replace('hash', 'length')]

  return ofFiles(rowsOf(results, PAGE), CACHED, names, (files, [hash, length]) => (
    `**get of blocks of ${files} from an FsBlockstore, with \`verify: 'length'\`**: that store reads pieces of ` +
    '64 KiB, each of which waits for threads that decompress. Only what is compared with its hash is read without ' +
    `it: ${length} MB/s, with \`hash\` ${hash}`
  ))
}

function inMemory (results: Results): string[] {
  const sides = [FLOOR, `${BARE_MEMORY}, zstd 3, hash`]

  return ofFiles(rowsUnder(results, PAGE, IN_MEMORY), 'get, 8 at a time', sides, (files, [floor, ours]) => (
    `**blocks of ${files} in memory**: a bare store keeps and hands over the arrays that it was given, which takes ` +
    `no time. Decompressing and hashing alone reach ${floor} MB/s, a CompressedBlockstore ${ours}`
  ))
}

/** A line for all files whose blocks were measured with some sides, which the text tells in MB/s. */
function ofFiles (
  rows: readonly Row[],
  what: string,
  sides: readonly string[],
  text: (files: string, rates: string[]) => string
): string[] {
  return distinct(rows, 'files').flatMap(files => {
    const rates = sides.flatMap(side => numberOf(find(rows, { files, what, side }), 'MB/s') ?? [])

    return rates.length < sides.length ? [] : [text(String(files), rates.map(brief))]
  })
}

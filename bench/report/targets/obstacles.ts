import { DEFAULT, PLAIN } from '../../support/file-systems.ts'
import { FLOOR } from '../../support/floor/names.ts'
import { BARE, BARE_FROM_KUBO } from '../../support/network/command-sides.ts'
import { distinct, find, numberOf, rowsOf } from '../rows.ts'
import { brief } from '../words.ts'
import { floorRows, OURS } from './floor.ts'
import { OWN, siteRows } from './sites.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

/** When the shares below were measured. They are of processor time, and change less than times do. */
export const PROFILED = '2026-11-26'

const MS = 'ms, median'

/** What takes the time of adds and reads that are slower than plain Helia: which rows, and what their profile shows. */
const PROFILES: ReadonlyArray<readonly [what: string, values: Row, profile: string]> = [
  [
    'add a large file',
    { zstd: 3, 'source, KiB': 1024 },
    'Compressing keeps all cores busy: little else takes time'
  ],
  [
    'add a file of 1 MB in a new process',
    { input: 'a file of 1 MB', process: 'new' },
    'A fifth of its processor time is V8 compiling functions that run for the first time, a tenth optimizing loops, ' +
    'a fifth zstd, an eighth system calls'
  ],
  [
    'add many small files in a new process',
    { input: 'zrender (npm)', process: 'new' },
    '30 % of its processor time are system calls, most of them for a directory, a temporary file and a name for each ' +
    'block, 11 % compiling and optimizing code, 7 % zstd. The rest is spread: no function of ours takes 2 %'
  ],
  [
    'cat 1 MB from memory',
    { bytes: 1e6, store: 'memory' },
    'More than half of its processor time is zstd and a twelfth the hash, where plain Helia hands over a block as it ' +
    'is. On the calling thread, zstd would take 0.3 ms less, but a hostile frame could hold up the event loop'
  ],
  [
    'cat 100 MB from memory',
    { bytes: 1e8, store: 'memory' },
    'A fifth of its processor time is V8 marking its heap, as what was read becomes garbage. With `transient`, with ' +
    'which callers say that they keep nothing, that is a fourteenth'
  ]
]

/** What keeps adds, reads and fetches from their targets: a line each. */
export function obstacles (results: Results): string[] {
  return [
    ...againstPlain(results), ...fromLevel(results), ...againstKubo(results), ...inPage(results), ...inMemory(results),
    ...overFastLinks(results), ...inSites(results), ...inBlocks(results)
  ]
}

function againstPlain (results: Results): string[] {
  return PROFILES.flatMap(([what, values, profile]) => {
    const [plain, floor, ours] = [PLAIN, FLOOR, OURS]
      .map(side => numberOf(find(floorRows(results), { ...values, side }), MS))

    return plain == null || floor == null || ours == null || ours <= plain
      ? []
      : [`**${what}**: plain Helia takes ${brief(plain)} ms, codec, hash and store alone ${brief(floor)}, ` +
        `IPFSz ${brief(ours)}. ${profile}`]
  })
}

function fromLevel (results: Results): string[] {
  const [floor, ours] = [FLOOR, DEFAULT].map(
    side => numberOf(find(rowsOf(results, 'local'), { MB: 1, store: 'level', what: 'cat', side }), 'times as fast')
  )

  return floor == null || ours == null || ours >= 1 ? [] : [
    `**cat 1 MB from level**: IPFSz reads at ${brief(ours)} times plain Helia's speed. Getting the same blocks from ` +
    `level, hashing and decompressing them, and nothing else, reaches ${brief(floor)} times`
  ]
}

function againstKubo (results: Results): string[] {
  return ['add', 'cat'].flatMap(what => {
    const floor = numberOf(find(floorRows(results), { what, MB: 100, side: FLOOR }), "times Kubo's speed")

    return floor == null || floor >= 1 ? [] : [
      `**ipfsz ${what}, against Kubo**: a Node program that does nothing but ` +
      `${what === 'add' ? 'compress, hash and write' : 'read, hash and decompress'} 100 MB reaches ` +
      `${brief(floor)} times Kubo's speed, as Kubo does not compress`
    ]
  })
}

function inPage (results: Results): string[] {
  const rows = rowsOf(results, 'browser')
  const [plain, ours] = [PLAIN, DEFAULT].map(side => numberOf(find(rows, { store: 'memory', side }), 'cat, MB/s'))

  return plain == null || ours == null || ours >= plain ? [] : [
    `**cat in a page from memory**: plain Helia hands over blocks at ${brief(plain)} MB/s, IPFSz reads at ` +
    `${brief(ours)}. zstd's decoder in WebAssembly alone allows 0.45 times plain Helia's speed at most, on two cores`
  ]
}

function inMemory (results: Results): string[] {
  const rows = rowsOf(results, 'memory')
  const [plain, ours] = [PLAIN, DEFAULT].map(side => numberOf(find(rows, { MB: 1000, side }), 'add, MB'))

  return plain == null || ours == null ? [] : [
    `**peak memory of the library**: an add of 1 GB with plain Helia takes ${brief(plain)} MB in the same process, ` +
    `IPFSz ${brief(ours)}. Node's program takes 57 MB of either, and V8's heap some 55`
  ]
}

function overFastLinks (results: Results): string[] {
  const link = { 'Mbit/s': 1000, 'round trip, ms': 2 }
  const times = [BARE, BARE_FROM_KUBO].flatMap(
    side => numberOf(find(rowsOf(results, 'network'), { ...link, side }), 'times the floor') ?? []
  )

  return times.length === 0 ? [] : [
    '**fetch over 1 Gbit/s**: a Node program that fetches, checks and decompresses the same, and stores nothing, ' +
    `takes ${times.map(brief).join(' and ')} times the floor at 2 ms, from ipfsz gateway and from Kubo's. The ` +
    'gateway and the link take their share of the same two cores'
  ]
}

function inSites (results: Results): string[] {
  const own = find(siteRows(results), { side: OWN, phase: 'write by a command' })

  return own == null ? [] : [
    '**write to a directory that nodes share**: IPFSz compresses and syncs what it acknowledges, and Kubo syncs no ' +
    'blocks by default: with syncs it takes 1.5 times as long. `ipfsz add` starts a process of Node, and one that ' +
    "only writes the same blocks takes as long as Kubo's whole command"
  ]
}

function inBlocks (results: Results): string[] {
  const rows = rowsOf(results, 'blockstore')

  return distinct(rows, 'files').flatMap(files => {
    const [bare, floor, ours] = ['FsBlockstore', FLOOR, 'SharedFsBlockstore, zstd 3, hash'].map(
      side => numberOf(find(rows, { files, what: 'get, cached, 8 at a time', side }), 'MB/s')
    )

    return bare == null || floor == null || ours == null || ours >= bare ? [] : [
      `**get of blocks of ${files} compressed at rest**, 8 at a time from the cache: an FsBlockstore alone reads ` +
      `${brief(bare)} MB/s, reading, decompressing and hashing alone ${brief(floor)}, a CompressedBlockstore ` +
      `${brief(ours)}. Two fifths of its processor time is zstd, a fifth the hash and its copy of the block, ` +
      'an eighth V8 marking its heap'
    ]
  })
}

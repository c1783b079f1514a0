import { DEFAULT, PLAIN } from '../../support/file-systems.ts'
import { FLOOR } from '../../support/floor/names.ts'
import { find, numberOf, rowsOf } from '../rows.ts'
import { brief } from '../words.ts'
import { floorRows, OURS } from './floor.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'
import type { Obstacle } from './obstacle.ts'

const FAST = 'times as fast'

/** Adds and reads of the benchmark of the floor: which targets, which rows, and what their profile shows. */
const PROFILES: ReadonlyArray<readonly [of: RegExp, what: string, values: Row, profile: string]> = [
  [
    /^add a large file/,
    'add a large file',
    { zstd: 3, 'source, KiB': 1024 },
    'Compressing keeps all cores busy: little else takes time'
  ],
  [
    /^add a file of 1 MB in a new process/,
    'add a file of 1 MB in a new process',
    { input: 'a file of 1 MB', process: 'new' },
    'A fifth of its processor time is V8 compiling functions that run for the first time, a tenth optimizing loops, ' +
    'a fifth zstd, an eighth system calls'
  ],
  [
    /^add a file of 1 MB in a warm process/,
    'add a file of 1 MB in a warm process',
    { input: 'a file of 1 MB', process: 'warm' },
    'Nearly half of its processor time is zstd, a seventh garbage collection, an eighth JavaScript: to choose a ' +
    'codec, a filter and leaves'
  ],
  [
    /^add .* in a new process/,
    'add many small files in a new process',
    { input: 'zrender (npm)', process: 'new' },
    '30 % of its processor time are system calls, most of them for a directory, a temporary file and a name for each ' +
    'block, 11 % compiling and optimizing code, 7 % zstd. The rest is spread: no function of ours takes 2 %'
  ],
  [
    /^add .* in a warm process/,
    'add many small files in a warm process',
    { input: 'rfc', process: 'warm' },
    'What the floor does takes nearly all of it: to compress each file by itself, and to write its block'
  ],
  [
    /^cat 1 MB from memory/,
    'cat 1 MB from memory',
    { bytes: 1e6, store: 'memory' },
    'A third of its processor time is zstd, more than a third garbage collection: each read makes an array of 1 MB, ' +
    'where plain Helia hands over a block as it is. With `transient`, with which callers say that they keep nothing, ' +
    'it takes half of the processor time, and three fifths of that are zstd'
  ],
  [
    /^cat 100 MB from memory/,
    'cat 100 MB from memory',
    { bytes: 1e8, store: 'memory' },
    'More than half of its processor time is zstd, a fifth garbage collection, as what was read becomes garbage. ' +
    'With `transient`, with which callers say that they keep nothing, that is a hundredth'
  ]
]

export const localObstacles: readonly Obstacle[] = [
  ...PROFILES.map(([of, what, values, profile]) => ({
    of,
    lines: (results: Results) => againstPlain(results, what, values, profile)
  })),
  { of: /^cat 100 MB from fs/, lines: fromFiles },
  { of: /^cat 1 MB from level/, lines: fromLevel },
  { of: /^ipfsz (?:add|cat) of \d+ MB: times the speed of Kubo/, lines: againstKubo },
  { of: /^ipfsz (?:add|cat) of \d+ MB: times the processor time/, lines: processorTime },
  { of: /^cat 16 MB from memory in a page/, lines: inPage },
  { of: /by the library in the benchmark's process: peak memory/, lines: inMemory }
]

function againstPlain (results: Results, what: string, values: Row, profile: string): string[] {
  const [plain, floor, ours] = [PLAIN, FLOOR, OURS]
    .map(side => numberOf(find(floorRows(results), { ...values, side }), 'ms, median'))

  return plain == null || floor == null || ours == null ? [] : [
    `**${what}**: plain Helia takes ${brief(plain)} ms, codec, hash and store alone ${brief(floor)}, ` +
    `IPFSz ${brief(ours)}. ${profile}`
  ]
}

function fromFiles (results: Results): string[] {
  const of = (side: string): number | undefined =>
    numberOf(find(floorRows(results), { bytes: 1e8, store: 'fs', side }), FAST)
  const [floor, ours] = [of(FLOOR), of(OURS)]
  const transient = numberOf(
    find(rowsOf(results, 'local'), { MB: 100, store: 'fs', what: 'cat', side: 'ipfsz, transient' }),
    FAST
  )

  return floor == null || ours == null ? [] : [
    `**cat 100 MB from fs**: IPFSz reads at ${brief(ours)} times plain Helia's speed, where reading, hashing and ` +
    `decompressing alone reach ${brief(floor)}. More than half of its processor time is zstd, a fifth garbage ` +
    `collection${transient == null ? '' : `. With \`transient\`, it reads at ${brief(transient)} times (local)`}`
  ]
}

function fromLevel (results: Results): string[] {
  const [floor, ours] = [FLOOR, DEFAULT].map(
    side => numberOf(find(rowsOf(results, 'local'), { MB: 1, store: 'level', what: 'cat', side }), FAST)
  )

  return floor == null || ours == null ? [] : [
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

function processorTime (results: Results): string[] {
  const [add, cat] = ['add', 'cat'].map(
    what => numberOf(find(floorRows(results), { what, MB: 100, side: FLOOR }), "CPU, times Kubo's with zstd")
  )

  return add == null || cat == null ? [] : [
    '**processor time, against Kubo with `zstd -3`**: the same Node program takes ' +
    `${brief(add)} and ${brief(cat)} times as much to add and to read 100 MB, its start included`
  ]
}

function inPage (results: Results): string[] {
  const rows = rowsOf(results, 'browser')
  const [plain, floor, ours] = [PLAIN, FLOOR, DEFAULT].map(
    side => numberOf(find(rows, { store: 'memory', side }), 'cat, MB/s')
  )

  return plain == null || floor == null || ours == null ? [] : [
    `**cat in a page from memory**: plain Helia hands over blocks at ${brief(plain)} MB/s, IPFSz reads at ` +
    `${brief(ours)}. Decompressing in WebAssembly and hashing alone, in a worker for each core, reach ${brief(floor)}`
  ]
}

function inMemory (results: Results): string[] {
  return ['add', 'cat'].flatMap(what => {
    const [plain, floor, ours] = [PLAIN, FLOOR, DEFAULT].map(
      side => numberOf(find(rowsOf(results, 'memory'), { MB: 1000, side }), `${what}, MB`)
    )

    return plain == null || floor == null || ours == null ? [] : [
      `**peak memory of the library, ${what} of 1 GB**: plain Helia takes ${brief(plain)} MB, codec, hash and store ` +
      `alone ${brief(floor)}, IPFSz ${brief(ours)}. More than 110 MB are there before it begins: Node, and what was ` +
      'imported'
    ]
  })
}

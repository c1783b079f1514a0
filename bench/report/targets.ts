import { rounded } from '../benchmark.ts'
import { DEFAULT } from '../support/file-systems.ts'
import { COMMAND } from '../support/network/command-sides.ts'
import { LIBRARY } from '../support/network/sides.ts'
import { gatewayWorst } from './gateway.ts'
import { distinct, find, numberOf, rowsOf } from './rows.ts'
import type { Row } from '../benchmark.ts'
import type { Results } from './rows.ts'

/** The reads and stores for which a CompressedBlockstore should not be slower than an FsBlockstore alone. */
const READING = ['get, cached', 'first get, cached', 'first get, from the disk'].flatMap(
  what => [`${what}, 8 at a time`, `${what}, one by one`]
)
const LENGTH = ['SharedFsBlockstore, zstd 3, length', 'FsBlockstore, zstd 3, length']

/** The targets for the corpus in one file, and what was measured. */
export function targets (results: Results): Row[] {
  const local = rowsOf(results, 'local')
  const storage = rowsOf(results, 'storage').at(-1)
  const blockstore = rowsOf(results, 'blockstore')
  const network = results.get('network')?.tables[1]?.rows ?? []
  const ratio = numberOf(storage, DEFAULT)
  const wholeFile = numberOf(storage, 'zstd -3, whole file')
  const speed = (what: string): number | undefined =>
    numberOf(find(local, { MB: 100, store: 'fs', what, side: DEFAULT }), 'times as fast')
  const served = gatewayWorst(results)
  const stored = ratio == null || wholeFile == null ? undefined : ratio / wholeFile

  return [
    atLeast(`cat 100 MB on an FsBlockstore, ${DEFAULT}: times plain Helia's speed`, 2, speed('cat')),
    atLeast(`add 100 MB on an FsBlockstore, ${DEFAULT}: times plain Helia's speed`, 0.9, speed('add')),
    atMost(`stored bytes, ${DEFAULT}: times those of whole-file zstd -3`, 1.01, stored),
    atMost(
      '`ipfsz add` of 15 kB from a cold start: milliseconds',
      250,
      numberOf(find(rowsOf(results, 'start'), { what: 'add', side: 'ipfsz' }), 'ms, median')
    ),
    ...[COMMAND, LIBRARY].flatMap(side => {
      const fetch = find(network, { side })

      return [
        atMost(`fetch over 50 Mbit/s and 50 ms, ${side}: times the floor`, 1.25, numberOf(fetch, 'times the floor')),
        atLeast(
          `fetch over 50 Mbit/s and 50 ms, ${side}: times plain Helia's speed, 0.8 / ratio`,
          ratio == null ? 0 : 0.8 / ratio,
          numberOf(fetch, 'times as fast')
        )
      ]
    }),
    atLeast('serve files of 100 KB and more as they are stored: times the rate of Kubo\'s gateway', 1, served.rate),
    atMost('serve files of 100 KB and more as they are stored: times Kubo\'s processor time', 1, served.cpu),
    ...(blockstore.length === 0 ? ['any files'] : distinct(blockstore, 'files')).flatMap(
      files => LENGTH.flatMap(side => READING.map(what => atLeast(
        `${what}, blocks of ${files}, ${side}: times the speed of an FsBlockstore alone`,
        1,
        numberOf(find(blockstore, { files, what, side }), 'times as fast')
      )))
    )
  ]
}

function atLeast (what: string, target: number, measured: number | undefined): Row {
  return toRow(what, `at least ${rounded(target)}`, measured, measured != null && measured >= target)
}

function atMost (what: string, target: number, measured: number | undefined): Row {
  return toRow(what, `at most ${rounded(target)}`, measured, measured != null && measured <= target)
}

function toRow (what: string, target: string, measured: number | undefined, reached: boolean): Row {
  return {
    what,
    target,
    measured: measured == null ? 'not measured' : Number(measured.toPrecision(3)),
    reached: measured == null ? '-' : reached ? 'yes' : '**no**'
  }
}

import { DEFAULT, PLAIN } from '../support/file-systems.ts'
import { COMMAND } from '../support/network/command-sides.ts'
import { blockstoreLosses } from './blockstore-losses.ts'
import { gatewayLosses } from './gateway.ts'
import { isLess, list, NOISE } from './loss.ts'
import { besideKubo } from './losses.ts'
import { distinct, find, numberOf, rowsOf } from './rows.ts'
import { startLosses } from './start-losses.ts'
import { brief, line, range, slowdowns, some } from './words.ts'
import type { Row } from '../benchmark.ts'
import type { Results } from './rows.ts'

/** A fetch that takes more than this many times the least possible time is listed. */
const FAR = 1.25
/** The most that links cost in the paper, in % of the time of adding. */
const LITTLE = 4

/**
 * Where IPFSz is worse, rounded: a line for each kind of work. Each benchmark's page lists every
 * figure (`losses.ts`).
 */
export function lossGroups (results: Results): string[] {
  return [
    kubo, startLosses, smallFiles, inMemory, gzip, links, gatewayLosses, randomReads, compressedAlready, inPage,
    blockstoreLosses, originals, memory, failures
  ].flatMap(find => find(results))
}

function kubo (results: Results): string[] {
  const rows = rowsOf(results, 'local')
  const large = rows.filter(row => row.side === 'Kubo' && Number(row.MB) >= 100)
  const over = (what: string, column: string, more: (ours: number, theirs: number) => number): string | undefined =>
    range(large.filter(row => row.what === what).flatMap(row => {
      const ours = numberOf(besideKubo(rows, row), column)
      const theirs = numberOf(row, column)
      const times = ours == null || theirs == null ? 0 : more(ours, theirs)

      return times > 1 + NOISE ? [times] : []
    }))

  const parts = [['add', 'adding'], ['cat', 'reading']].flatMap(([what, verb]) => {
    const slower = over(what, 'MB/s', (ours, theirs) => theirs / ours)
    const larger = over(what, 'peak MB', (ours, theirs) => ours / theirs)

    const more = [
      ...some(slower, times => `${times} times as long`),
      ...some(larger, times => `${times} times the memory`)
    ]

    return more.length === 0 ? [] : [`${verb} takes ${more.join(' and ')}`]
  })

  return line('Against Kubo, with files of 100 MB and more', 'local', parts)
}

function smallFiles (results: Results): string[] {
  const all = rowsOf(results, 'tree')
  const rows = all.filter(row => row.side === 'ipfsz')
  const one = find(rowsOf(results, 'local'), { MB: 1, store: 'fs', what: 'add', side: DEFAULT })
  const tar = rows.flatMap(row => {
    const other = numberOf(find(all, { tree: row.tree, side: 'one .tar.zst' }), 'stored / original')
    const times = other == null ? 0 : Number(row['stored / original']) / other

    return times > 1 + NOISE ? [times] : []
  })

  const add = range(slowdownsOf(rows, 'add, times as fast'))
  const addOne = range(slowdownsOf(one == null ? [] : [one], 'times as fast'))

  return line('Small files', 'tree', [
    ...some(add, times => `adding a directory of them takes ${times} times as long as with plain Helia`),
    ...some(addOne, times => `adding one file of 1 MB takes ${times} times as long`),
    ...some(range(tar), times => `a directory takes up ${times} times as many bytes as one \`.tar.zst\``)
  ])
}

function inMemory (results: Results): string[] {
  const rows = rowsOf(results, 'local')
    .filter(row => row.side === DEFAULT && row.store !== 'fs' && isLess(row, 'times as fast'))
  const worst = [['add', 'adding'], ['cat', 'reading']].flatMap(([what, verb]) => {
    const times = slowdownsOf(rows.filter(row => row.what === what), 'times as fast')

    return times.length === 0 ? [] : [{ verb, times: brief(Math.max(...times)) }]
  })
  const sizes = list(distinct(rows, 'MB').map(MB => brief(Number(MB))))

  return line('In memory and LevelDB', 'local', worst.length === 0 ? [] : [
    `${list(worst.map(({ verb, times }, i) => `${verb}${i === 0 ? ' takes' : ''} up to ${times}`))} ` +
    `times as long as with plain Helia, for files of ${sizes} MB`
  ])
}

function gzip (results: Results): string[] {
  const rows = rowsOf(results, 'local').filter(row => row.what === 'add' && row.side === 'ipfsz, gzip 6')

  return line('gzip', 'local', some(range(slowdownsOf(rows, 'times as fast')), times => (
    `adding takes ${times} times as long as with plain Helia`
  )))
}

function links (results: Results): string[] {
  const rows = (results.get('network')?.tables ?? []).flatMap(({ rows }) => rows)
  const ours = rows.filter(row => row.side === COMMAND && 'floor, s' in row)
  const far = ours.flatMap(row => numberOf(row, 'times the floor') ?? []).filter(times => times > FAR)
  const sooner = (side: string, column: string): string | undefined => {
    const count = ours.filter(row => {
      const link = { 'Mbit/s': row['Mbit/s'], 'round trip, ms': row['round trip, ms'], MB: row.MB }

      return (numberOf(find(rows, { ...link, side }), column) ?? Infinity) < Number(row[column]) * (1 - NOISE)
    }).length

    return count === 0 ? undefined : `over ${count} of ${ours.length}`
  }

  const parts = [
    ...some(sooner('Kubo', 'first byte, s'), where => `the first byte arrives sooner with Kubo ${where}`),
    ...some(
      sooner('Kubo, zstd -3 piped', 'seconds'),
      where => `the whole file arrives sooner with Kubo and \`zstd\` by hand ${where}`
    ),
    ...some(
      range(far),
      times => `over ${far.length} of ${ours.length}, the command takes ${times} times the least possible time`
    )
  ]

  // the first part says what is counted
  return line('Fetching from a peer with the command', 'network', parts.map(
    (part, i) => i === 0 ? part.replace(/ of \d+/, '$& links') : part
  ))
}

function randomReads (results: Results): string[] {
  const rows = rowsOf(results, 'random')
  const [ours, theirs] = ['ipfsz, frames of 4096 KiB', PLAIN]
    .map(side => numberOf(find(rows, { side }), 'ms, 95 of 100'))

  return ours == null || theirs == null || ours <= theirs * (1 + NOISE) ? [] : line('Random reads', 'random', [
    `the slowest 5 % take ${brief(ours)} ms or more (plain Helia: ${brief(theirs)} ms), ` +
    'because a whole frame has to be decompressed. Smaller frames are faster'
  ])
}

function compressedAlready (results: Results): string[] {
  // only files that do not shrink: compressing the others takes time too
  const rows = rowsOf(results, 'bypass').filter(row => (numberOf(row, 'stored / original') ?? 1) >= 1 - NOISE)
  const add = range(slowdownsOf(rows, 'add: times as fast as plain'))

  return line('Media and archives', 'bypass', some(add, times => (
    `adding takes ${times} times as long as with plain Helia, ` +
    'because IPFSz first has to find out that they do not shrink'
  )))
}

function inPage (results: Results): string[] {
  const rows = rowsOf(results, 'browser').filter(row => row.store === 'memory' && row.side === DEFAULT)
  const parts = [['add', 'adding'], ['cat', 'reading']].flatMap(([what, verb]) => (
    some(range(slowdownsOf(rows, `${what}, times as fast`)), times => `${verb} takes ${times} times`)
  ))

  return line('In a page, in memory', 'browser', parts.length === 0 ? [] : [
    `${list(parts)} as long as with plain Helia`
  ])
}

function originals (results: Results): string[] {
  const cost = rowsOf(results, 'links', 1).flatMap(row => {
    const percent = numberOf(row, 'links cost, %') ?? 0

    return percent > LITTLE ? [`${brief(percent)} % longer with datastore-${row.datastore}`] : []
  })

  return line('Links to originals', 'links', cost.length === 0 ? [] : [
    `adding small files takes ${list(cost)}, because each original is hashed as well and its link is written`
  ])
}

function memory (results: Results): string[] {
  const rows = rowsOf(results, 'memory')
  const more = rows.filter(row => row.side === DEFAULT).flatMap(row => {
    const times = Number(row['add, MB']) / Number(find(rows, { MB: row.MB, side: PLAIN })?.['add, MB'])

    return times > 1 + NOISE ? [times] : []
  })

  return line('Memory', 'memory', some(range(more), times => (
    `adding takes ${times} times as much memory as with plain Helia`
  )))
}

function failures (results: Results): string[] {
  return ['network', 'slow', 'memory'].flatMap(name => {
    const rows = (results.get(name)?.tables ?? []).flatMap(({ rows }) => rows)
    const failed = rows.filter(row => String(row.failed ?? '') !== '')

    return line('Failures', name, failed.length === 0 ? [] : [`${failed.length} measurements failed`])
  })
}

function slowdownsOf (rows: readonly Row[], column: string): number[] {
  return slowdowns(rows.map(row => numberOf(row, column)))
}

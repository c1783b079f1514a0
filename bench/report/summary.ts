import { DEFAULT, PLAIN } from '../support/file-systems.ts'
import { COMMAND, OVER_HTTP } from '../support/network/command-sides.ts'
import { LIBRARY } from '../support/network/sides.ts'
import { gateway } from './gateway.ts'
import { list } from './loss.ts'
import { besideKubo } from './losses.ts'
import { find, numberOf, rowsOf } from './rows.ts'
import { brief, line, range } from './words.ts'
import type { Row } from '../benchmark.ts'
import type { Results } from './rows.ts'

/** The main figures: a line for each question that was measured. */
export function summary (results: Results): string[] {
  return [
    stored,
    reading,
    adding,
    fetching,
    farAway,
    gateway,
    againstKubo,
    random,
    memory,
    start,
    smallFiles,
    inPage
  ]
    .flatMap(tell => tell(results))
}

function stored (results: Results): string[] {
  const row = rowsOf(results, 'storage').at(-1)
  const [ratio, whole, bytes] = [DEFAULT, 'zstd -3, whole file', 'bytes'].map(column => numberOf(row, column))

  return ratio == null || whole == null || bytes == null ? [] : line('Stored bytes', 'storage', [
    `${brief(ratio * 100)} % of the original, for ${brief(bytes / 1e6)} MB of prose, tables and programs`,
    `a \`zstd -3\` stream of the whole file takes ${brief(whole * 100)} %`
  ])
}

function reading (results: Results): string[] {
  return onDisk(results, 'cat', 'Reading from disk')
}

function adding (results: Results): string[] {
  return onDisk(results, 'add', 'Adding to disk')
}

function onDisk (results: Results, what: string, topic: string): string[] {
  const rows = rowsOf(results, 'local').filter(row => row.what === what && row.store === 'fs' && row.side === DEFAULT)
  const [times, sizes] = ['times as fast', 'MB'].map(column => list(rows.map(row => brief(Number(row[column])))))

  return rows.length === 0 ? [] : line(topic, 'local', [
    `${times} times as fast as plain Helia, for files of ${sizes} MB`
  ])
}

function fetching (results: Results): string[] {
  return fetch(rowsOf(results, 'network', 1), 'Fetching at 50 Mbit/s with a round trip of 50 ms')
}

function farAway (results: Results): string[] {
  const rows = rowsOf(results, 'network').filter(row => row['Mbit/s'] === 1000 && row['round trip, ms'] === 150)

  return fetch(rows, 'Fetching at 1 Gbit/s with a round trip of 150 ms')
}

function fetch (rows: readonly Row[], topic: string): string[] {
  const seconds = (side: string): string => value(find(rows, { side }), 'seconds', 's')

  return rows.length === 0 ? [] : line(topic, 'network', [[
    `${value(rows[0], 'MB', 'MB')} takes ${seconds(COMMAND)} with the \`ipfsz\` command from a peer`,
    ...find(rows, { side: OVER_HTTP }) == null ? [] : [`${seconds(OVER_HTTP)} from a gateway`],
    `${seconds(LIBRARY)} with the library`,
    `${seconds(PLAIN)} with plain Helia`,
    `${seconds('Kubo')} with Kubo`,
    `${seconds('Kubo, zstd -3 piped')} with Kubo and \`zstd\` by hand`
  ].join(', ')])
}

function againstKubo (results: Results): string[] {
  const rows = rowsOf(results, 'local').filter(row => row.MB === 100)
  const [add, cat] = ['add', 'cat'].map(what => {
    const kubo = find(rows, { what, side: 'Kubo' })
    const [theirs, ours] = [kubo, kubo && besideKubo(rows, kubo)].map(row => numberOf(row, 'MB/s'))

    return theirs == null || ours == null ? undefined : theirs / ours
  })

  return add == null || cat == null ? [] : line('Kubo on the same disk', 'local', [
    `without compression, Kubo adds 100 MB ${brief(add)} times as fast as IPFSz, and reads it ` +
    `${brief(cat)} times as fast`
  ])
}

function random (results: Results): string[] {
  const rows = rowsOf(results, 'random')
  const ms = (side: string): string => value(find(rows, { side }), 'ms, median', 'ms')

  return rows.length === 0 ? [] : line('Reading 4 KiB at a random place', 'random', [[
    `${ms('ipfsz, frames of 4096 KiB')} with frames of 4 MiB`,
    `${ms('ipfsz, frames of 256 KiB')} with frames of 256 KiB`,
    `${ms(PLAIN)} with plain Helia`,
    `${ms('a whole-file .zst')} from a \`.zst\` of the whole file`
  ].join(', ')])
}

function memory (results: Results): string[] {
  const rows = rowsOf(results, 'memory')
  const [ours, theirs] = [DEFAULT, PLAIN].map(side => rows.filter(row => row.side === side).at(-1))
  const [read, plainRead, add, plainAdd] = ['cat, MB', 'add, MB']
    .flatMap(column => [ours, theirs].map(row => value(row, column, 'MB')))

  return ours == null || theirs == null ? [] : line('Memory', 'memory', [
    `reading a file of ${value(ours, 'MB', 'MB')} takes ${read} of memory (plain Helia: ${plainRead})`,
    `adding it takes ${add} (plain Helia: ${plainAdd})`
  ])
}

function start (results: Results): string[] {
  const rows = rowsOf(results, 'start')
  const ms = (what: string, side: string): string => value(find(rows, { what, side }), 'ms, median', 'ms')

  return rows.length === 0 ? [] : line('Starting the command', 'start', [
    `adding a file of 15 kB takes ${ms('add', 'ipfsz')} (Kubo: ${ms('add', 'Kubo')})`,
    `reading it takes ${ms('cat', 'ipfsz')} (Kubo: ${ms('cat', 'Kubo')})`,
    `starting Node alone takes ${ms('start', 'node -e 0')}`
  ])
}

function smallFiles (results: Results): string[] {
  const rows = rowsOf(results, 'tree').filter(row => row.side === 'ipfsz')
  const [bytes, add, read] = ['stored / original', 'add, times as fast', 'read all, times as fast']
    .map(column => range(rows.flatMap(row => numberOf(row, column) ?? [])))

  return bytes == null || add == null || read == null ? [] : line('Many small files', 'tree', [
    `stored in ${bytes} times their size`,
    `added at ${add} times, and read at ${read} times, the speed of plain Helia`
  ])
}

function inPage (results: Results): string[] {
  const row = find(rowsOf(results, 'browser'), { store: 'IndexedDB', side: DEFAULT })
  const [add, cat] = ['add', 'cat'].map(what => numberOf(row, `${what}, times as fast`))

  return add == null || cat == null ? [] : line('In a page, on IndexedDB', 'browser', [
    `adding is ${add} and reading ${cat} times as fast as with plain Helia`
  ])
}

function value (row: Row | undefined, column: string, unit: string): string {
  const number = numberOf(row, column)

  return number == null ? '-' : `${brief(number)} ${unit}`
}

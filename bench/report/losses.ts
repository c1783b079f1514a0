import { rounded } from '../benchmark.ts'
import { DEFAULT, PLAIN } from '../support/file-systems.ts'
import { COMMAND, LIBRARY } from '../support/network/sides.ts'
import { LINKS } from '../support/paper.ts'
import { find, numberOf, rowsOf } from './rows.ts'
import type { Row } from '../benchmark.ts'
import type { Results } from './rows.ts'

/** The frames of the default size. */
const DEFAULT_FRAMES = 'ipfsz, frames of 4096 KiB'

/** What is no more than this away is as good. */
const NOISE = 0.03

/** The same for bytes, which are the same every time. */
const LITTLE = 0.01

/** Memory that grows by no more, from 100 MB to the largest file, does not grow with the file. */
const GROWTH = 0.1

/** So many are told one by one. */
const FEW = 2

/** What is this many times the floor is far above it. */
const FAR = 1.25

/** One figure that is worse, and how many times. */
interface Loss {
  text: string
  times: number
}

/**
 * Where IPFSz is worse than what it is compared with, as sentences of Markdown: found in
 * the figures, so that none is left out and none is out of date.
 */
export function losses (results: Results): string[] {
  return [fromLocal, fromNetwork, fromSlow, fromStorage, fromRandom, fromTree, fromBypass, fromLinks, fromMemory, fromBrowser, fromBlockstore].flatMap(find => find(results))
}

function fromLocal (results: Results): string[] {
  const rows = rowsOf(results, 'local')

  return ['add', 'cat'].flatMap(what => {
    const of = rows.filter(row => row.what === what)
    const slower = of.filter(row => row.side === DEFAULT && isLess(row, 'times as fast'))
    const others = of.filter(row => row.MB === 100 && String(row.side).startsWith('ipfsz') && row.side !== DEFAULT && isLess(row, 'times as fast'))
    const kubo = of.filter(row => String(row.side).startsWith('Kubo')).flatMap(row => {
      const ours = numberOf(find(of, { MB: row.MB, side: DEFAULT, store: 'fs' }), 'MB/s')
      const theirs = numberOf(row, 'MB/s')

      return ours != null && theirs != null && theirs > ours * (1 + NOISE) ? [`${row.MB} MB at ${rounded(theirs / ours)} times our speed (${row.side})`] : []
    })
    const busier = of.filter(row => row.side === DEFAULT).flatMap(row => {
      const ours = numberOf(row, 'CPU ms')
      const theirs = numberOf(find(of, { MB: row.MB, side: PLAIN, store: row.store }), 'CPU ms')

      return ours != null && theirs != null && ours > theirs * (1 + NOISE) ? [`${row.MB} MB on ${row.store} (${rounded(ours / theirs)})`] : []
    })

    return [
      ...slower.length === 0 ? [] : [`**${what}, the default**: plain Helia is faster with ${list(slower.map(row => `${row.MB} MB on ${row.store} (we have ${row['times as fast']} times its speed)`))}.`],
      ...others.length === 0 ? [] : [`**${what}, other codecs and levels**, 100 MB: slower than plain Helia with ${list(others.map(row => `${String(row.side).replace('ipfsz, ', '')} on ${row.store} (${row['times as fast']})`))}.`],
      ...kubo.length === 0 ? [] : [`**${what} against Kubo**: Kubo does ${list(kubo)}.`],
      ...busier.length === 0 ? [] : [`**${what}, processor time**: more than plain Helia's with ${list(busier)}.`]
    ]
  })
}

function fromNetwork (results: Results): string[] {
  const rows = (results.get('network')?.tables ?? []).flatMap(({ rows }) => rows)

  return [LIBRARY, COMMAND].flatMap(side => fromFetches(rows, side))
}

function fromFetches (rows: readonly Row[], side: string): string[] {
  const ours = rows.filter(row => row.side === side && 'floor' in row)
  const beaten = (by: string, what: string): Loss[] => ours.flatMap(row => {
    const theirs = numberOf(find(rows, { 'Mbit/s': row['Mbit/s'], 'round trip, ms': row['round trip, ms'], MB: row.MB, side: by }), what)
    const seconds = numberOf(row, what)

    return seconds != null && theirs != null && theirs < seconds * (1 - NOISE) ? [{ text: `${linkOf(row)} (${rounded(theirs)} s against ${rounded(seconds)} s)`, times: seconds / theirs }] : []
  })
  const failed = ours.filter(row => row.failed !== '')
  const far = ours.map(row => ({ text: `${linkOf(row)} (${row['times the floor']})`, times: numberOf(row, 'times the floor') ?? 0 })).filter(({ times }) => times > FAR)

  return [
    ...failed.map(row => `**fetching, ${side}**, fails over ${linkOf(row)}: ${row.failed}.`),
    ...[PLAIN, 'plain CID with libp2p compression', 'Kubo', 'Kubo, zstd -3 piped'].flatMap(by => {
      const links = beaten(by, 'seconds')
      const first = beaten(by, 'first byte, s')

      return [
        ...links.length === 0 ? [] : [`**fetching, ${side}**: ${by} is faster over ${extremes(links, ours.length, 'links')}.`],
        ...first.length === 0 ? [] : [`**fetching, ${side}, the first byte**: ${by} has it sooner over ${extremes(first, ours.length, 'links')}.`]
      ]
    }),
    ...far.length === 0 ? [] : [`**fetching, ${side}**, takes more than ${FAR} times the floor over ${extremes(far, ours.length, 'links')}.`]
  ]
}

function fromSlow (results: Results): string[] {
  const rows = rowsOf(results, 'slow')
  const failed = rows.filter(row => row.failed !== '')
  const far = rows.filter(row => (numberOf(row, 'times the floor') ?? 0) > FAR)

  return [
    ...failed.map(row => `**\`ipfsz cat\` does not always get the file** over ${row['Mbit/s']} Mbit/s from ${row.provider}: ${row.whole} are whole, ${row.failed}.`),
    ...far.length === 0 ? [] : [`**\`ipfsz cat\` takes more than ${FAR} times the floor** over ${list(far.map(row => `${row['Mbit/s']} Mbit/s from ${row.provider} with ${row.MB} MB of ${row.what} (${row['times the floor']})`))}.`]
  ]
}

function fromStorage (results: Results): string[] {
  const rows = rowsOf(results, 'storage')
  const frames = rows.filter(row => (numberOf(row, 'frames cost, %') ?? 0) > 1)
  const level = rows.filter(row => (numberOf(row, DEFAULT) ?? 0) > (numberOf(row, 'ipfsz, zstd 1') ?? 1) * 1.01)

  // what is left as it is has no frames
  const left = rows.filter(row => row['frames cost, %'] === '-' && (numberOf(row, DEFAULT) ?? 0) > (numberOf(row, 'zstd -3, whole file') ?? 1) * (1 + LITTLE))

  return [
    ...left.length === 0 ? [] : [`**what is taken for not worth compressing** and would be smaller with \`zstd -3\`: ${list(left.map(row => `${row.file} (${row['zstd -3, whole file']} of its bytes)`))}.`],
    ...frames.length === 0 ? [] : [`**frames cost more than 1 %** of the stored bytes with ${list(frames.map(row => `${row.file} (${row['frames cost, %']} %)`))}.`],
    ...level.length === 0 ? [] : [`**the default level is 3**, and level 1 stores less of ${list(level.map(({ file }) => String(file)))}.`]
  ]
}

function fromRandom (results: Results): string[] {
  const rows = rowsOf(results, 'random')
  const ours = find(rows, { side: DEFAULT_FRAMES })
  const plain = find(rows, { side: PLAIN })

  if (ours == null || plain == null) {
    return []
  }

  const bytes = (numberOf(ours, 'KiB a read') ?? 0) / (numberOf(plain, 'KiB a read') ?? 1)

  return [
    ...isLess(ours, 'times as fast') ? [`**4 KiB at a random place**, frames as they are by default: ${ours['ms, median']} ms, plain Helia ${plain['ms, median']} ms. A frame is decompressed whole; smaller frames make this cheaper.`] : [],
    ...bytes > 1 + NOISE ? [`**4 KiB at a random place** reads ${rounded(bytes)} times the bytes that plain Helia reads.`] : []
  ]
}

function fromTree (results: Results): string[] {
  const rows = rowsOf(results, 'tree')

  return rows.filter(row => row.side === 'ipfsz').flatMap(row => {
    const tar = numberOf(find(rows, { tree: row.tree, side: 'one .tar.zst' }), 'stored / original') ?? 1
    const ours = numberOf(row, 'stored / original') ?? 0

    return [
      ...ours > tar * (1 + NOISE) ? [`**small files**, ${row.tree}: ${rounded(ours / tar)} times the bytes of one \`.tar.zst\`, which shares what files have in common.`] : [],
      ...[PLAIN, 'one .tar.zst'].flatMap(side => {
        const other = find(rows, { tree: row.tree, side })
        const slower = ['add', 'read all', 'read one'].flatMap(what => {
          const column = `${what}, times as fast`
          const speed = (numberOf(row, column) ?? NaN) / (numberOf(other, column) ?? NaN)

          return speed < 1 - NOISE ? [`${what} at ${rounded(speed)} times its speed`] : []
        })

        return slower.length === 0 ? [] : [`**small files**, ${row.tree}, against ${side === PLAIN ? side : `\`${side}\``}: ${list(slower)}.`]
      })
    ]
  })
}

function fromBypass (results: Results): string[] {
  return [['add', 'plain'], ['add', 'detection off'], ['cat', 'plain']].flatMap(([what, other]) => {
    const column = `${what}: times as fast as ${other}`
    const slow = rowsOf(results, 'bypass').filter(row => isLess(row, column))

    return slow.length === 0 ? [] : [`**what is compressed already** is ${what === 'add' ? 'added' : 'read'} slower than with ${other === 'plain' ? PLAIN : other}: ${list(slow.map(row => `${row.file} (${row[column]})`))}.`]
  })
}

function fromLinks (results: Results): string[] {
  const read = rowsOf(results, 'links').filter(row => row.links === 1000 && (numberOf(row, 'read, ms') ?? 0) > LINKS.recovery)
  const make = rowsOf(results, 'links').filter(row => row.links === 1000 && (numberOf(row, 'make, ms') ?? 0) > LINKS.update)
  const cost = rowsOf(results, 'links', 1).filter(row => (numberOf(row, 'links cost, %') ?? 0) > 4)

  return [
    ...make.length === 0 ? [] : [`**making 1000 links** takes more than the ${LINKS.update} ms of the paper with ${list(make.map(row => `datastore-${row.datastore} (${row['make, ms']} ms)`))}.`],
    ...read.length === 0 ? [] : [`**reading 1000 links** in a new process takes more than the ${LINKS.recovery} ms of the paper with ${list(read.map(row => `datastore-${row.datastore} (${row['read, ms']} ms)`))}.`],
    ...cost.length === 0 ? [] : [`**adding with links** costs ${list(cost.map(row => `${row['links cost, %']} % with datastore-${row.datastore}`))}, where the paper has ${LINKS.partOfUpload}: the original is hashed for its content CID, and the link is written.`]
  ]
}

function fromMemory (results: Results): string[] {
  const rows = rowsOf(results, 'memory')

  const ours = rows.filter(row => row.side === DEFAULT)

  return ['add', 'cat'].flatMap(what => {
    const more = ours.filter(row => (numberOf(row, `${what}, MB`) ?? 0) > (numberOf(find(rows, { MB: row.MB, side: PLAIN }), `${what}, MB`) ?? Infinity) * (1 + NOISE))

    const middle = find(ours, { MB: 100 })
    const last = ours.at(-1)
    const growth = (numberOf(last, `${what}, MB`) ?? 0) / (numberOf(middle, `${what}, MB`) ?? Infinity)

    return [
      ...more.length === 0 ? [] : [`**memory**: ${what} takes more than plain Helia with ${list(more.map(row => `${row.MB} MB (${row[`${what}, MB`]} MB resident)`))}.`],
      ...growth > 1 + GROWTH ? [`**memory grows**: ${what} of ${last?.MB} MB takes ${rounded(growth)} times what 100 MB take.`] : []
    ]
  }).concat(ours.filter(row => row.failed !== '' && row.failed != null).map(row => `**memory**: ${row.MB} MB fail: ${row.failed}.`))
}

function fromBrowser (results: Results): string[] {
  return rowsOf(results, 'browser').filter(row => row.side === DEFAULT).flatMap(row => (
    ['add', 'cat'].filter(what => isLess(row, `${what}, times as fast`)).map(what => `**in a page**, on ${row.store}: ${what} at ${row[`${what}, times as fast`]} times plain Helia's speed.`)
  ))
}

function fromBlockstore (results: Results): string[] {
  const byDefault = rowsOf(results, 'blockstore').filter(row => /zstd \d+, hash$/.test(String(row.side)))

  return Array.from(Map.groupBy(byDefault, ({ what }) => String(what)), ([what, rows]): [string, string] => {
    const slow = rows.filter(row => isLess(row, 'times as fast')).map(row => ({ text: `${row.side} with blocks of ${row.files} (${row['times as fast']})`, times: 1 / (numberOf(row, 'times as fast') ?? 1) }))

    return [what, slow.length === 0 ? '' : extremes(slow, rows.length, 'rows')]
  }).flatMap(([what, where]) => where === '' ? [] : [`**a CompressedBlockstore** as it is by default, ${what}: slower than an FsBlockstore alone with ${where}.`])
}

/** How many they are, and which: of more than a few the least and the worst, the tables have the others. */
function extremes (losses: readonly Loss[], of: number, what: string): string {
  const sorted = losses.toSorted((a, b) => a.times - b.times).map(({ text }) => text)

  return `${losses.length} of ${of} ${what}${losses.length <= FEW ? `: ${list(sorted)}` : `, from ${sorted[0]} to ${sorted[sorted.length - 1]}`}`
}

function isLess (row: Row, column: string): boolean {
  const value = numberOf(row, column)

  return value != null && value < 1 - NOISE
}

function linkOf (row: Row): string {
  return `${row['Mbit/s']} Mbit/s and ${row['round trip, ms']} ms with ${row.MB} MB`
}

function list (parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

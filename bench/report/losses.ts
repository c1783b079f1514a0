import { rounded } from '../benchmark.ts'
import { COMMAND, DEFAULT, PLAIN, TRANSIENT } from '../support/file-systems.ts'
import { FLOOR } from '../support/floor/names.ts'
import { LINKS } from '../support/paper.ts'
import { fromBlockstore } from './blockstore-losses.ts'
import { fromDatasets } from './dataset-losses.ts'
import { fromNetwork, fromSlow } from './fetch-losses.ts'
import { fromGateway } from './gateway.ts'
import { isLess, list, NOISE } from './loss.ts'
import { find, numberOf, rowsOf } from './rows.ts'
import { fromSite } from './site-losses.ts'
import { fromStart } from './start-losses.ts'
import type { Row } from '../benchmark.ts'
import type { Results } from './rows.ts'

/** The side with frames of the default size. */
const DEFAULT_FRAMES = 'ipfsz, frames of 4096 KiB'

/** Like NOISE, but for stored bytes, which do not vary between runs. */
const LITTLE = 0.01

/** Memory that grows by at most this fraction, from 100 MB to the largest file, counts as constant. */
const GROWTH = 0.1

/**
 * Where IPFSz is worse than what it is compared with, for each benchmark, as sentences in
 * Markdown. They are computed from the figures, so none is missing or out of date.
 */
export const LOSSES: Readonly<Record<string, (results: Results) => string[]>> = {
  storage: fromStorage,
  local: fromLocal,
  network: fromNetwork,
  slow: fromSlow,
  gateway: fromGateway,
  random: fromRandom,
  datasets: fromDatasets,
  bypass: fromBypass,
  tree: fromTree,
  versions: fromVersions,
  memory: fromMemory,
  start: fromStart,
  site: fromSite,
  browser: fromBrowser,
  links: fromLinks,
  blockstore: fromBlockstore
}

function fromLocal (results: Results): string[] {
  const rows = rowsOf(results, 'local')

  return ['add', 'cat'].flatMap(what => {
    const of = rows.filter(row => row.what === what)
    const slow = of.filter(row => String(row.side).startsWith('ipfsz') && isLess(row, 'times as fast'))
    const slower = slow.filter(({ side }) => side === DEFAULT)
    const transient = slow.filter(({ side }) => side === TRANSIENT)
    const others = slow.filter(({ side }) => ![COMMAND, DEFAULT, TRANSIENT].includes(String(side)))
    const kubo = of.filter(row => String(row.side).startsWith('Kubo')).flatMap(row => {
      const ours = numberOf(besideKubo(of, row), 'MB/s')
      const theirs = numberOf(row, 'MB/s')

      return ours != null && theirs != null && theirs > ours * (1 + NOISE) ? [
        `${row.MB} MB${String(row.side).replace('Kubo', '').replace(',', ' and')} (${rounded(theirs / ours)} times)`
      ] : []
    })
    const leaner = ([['CPU ms', 'processor time'], ['peak MB', 'memory']] as const).flatMap(([column, name]) => {
      const less = of.filter(row => row.side === 'Kubo').flatMap(row => {
        const ours = numberOf(besideKubo(of, row), column)
        const theirs = numberOf(row, column)

        return ours != null && theirs != null && ours > theirs * (1 + NOISE) ? [
          `${row.MB} MB (${rounded(ours / theirs)} times)`
        ] : []
      })

      return less.length === 0 ? [] : [`**${what} against Kubo, ${name}**: IPFSz takes more, with ${list(less)}.`]
    })
    const busier = of.filter(row => row.side === DEFAULT).flatMap(row => {
      const ours = numberOf(row, 'CPU ms')
      const theirs = numberOf(find(of, { MB: row.MB, side: PLAIN, store: row.store }), 'CPU ms')

      return ours != null && theirs != null && ours > theirs * (1 + NOISE) ? [
        `${row.MB} MB on ${row.store} (${rounded(ours / theirs)} times)`
      ] : []
    })

    return [
      ...slower.length === 0
        ? []
        : [
          `**${what}, the default**: plain Helia is faster with ${list(slower.map(row =>
            `${row.MB} MB on ${row.store} (IPFSz has ${row['times as fast']} times its speed)`))}.`
        ],
      ...transient.length === 0
        ? []
        : [
          `**${what} with \`transient\`**: plain Helia is faster with ${list(transient.map(row =>
            `${row.MB} MB on ${row.store} (${row['times as fast']})`))}.`
        ],
      ...others.length === 0
        ? []
        : [
          `**${what}, other codecs and levels**: slower than plain Helia with ${list(others.map(row =>
            `${row.MB} MB and ${String(row.side).replace('ipfsz, ', '')} on ${row.store} (${row['times as fast']})`))}.`
        ],
      ...kubo.length === 0 ? [] : [`**${what} against Kubo**: Kubo is faster with ${list(kubo)}.`],
      ...leaner,
      ...busier.length === 0 ? [] : [
        `**${what}, processor time**: IPFSz takes more than plain Helia, with ${list(busier)}.`
      ]
    ]
  })
}

/** What Kubo, a command, is compared with: our command, or the library if only that was measured. */
export function besideKubo (rows: readonly Row[], { MB, what }: Row): Row | undefined {
  return find(rows, { MB, what, side: COMMAND }) ?? find(rows, { MB, what, side: DEFAULT, store: 'fs' })
}

function fromStorage (results: Results): string[] {
  const rows = rowsOf(results, 'storage')
  const frames = rows.filter(row => (numberOf(row, 'frames cost, %') ?? 0) > 1)
  const level = rows.filter(row => (numberOf(row, DEFAULT) ?? 0) > (numberOf(row, 'ipfsz, zstd 1') ?? 1) * 1.01)

  // files that are stored plain have no frames
  const left = rows.filter(
    row => row['frames cost, %'] === '-' &&
      (numberOf(row, DEFAULT) ?? 0) > (numberOf(row, 'zstd -3, whole file') ?? 1) * (1 + LITTLE)
  )

  return [
    ...left.length === 0
      ? []
      : [
        `**stored plain**, but smaller with \`zstd -3\`: ${list(left.map(row =>
          `${row.file} (${row['zstd -3, whole file']} of its bytes)`))}.`
      ],
    ...frames.length === 0
      ? []
      : [
        `**frames cost more than 1 %** of the stored bytes with ${list(frames.map(row =>
          `${row.file} (${row['frames cost, %']} %)`))}.`
      ],
    ...level.length === 0 ? [] : [
      `**level 3, the default**, stores more bytes than level 1 for ${list(level.map(({ file }) => String(file)))}.`
    ]
  ]
}

function fromRandom (results: Results): string[] {
  const rows = rowsOf(results, 'random')
  const ours = find(rows, { side: DEFAULT_FRAMES })
  const plain = find(rows, { side: PLAIN })

  if (ours == null || plain == null) {
    return []
  }

  const late = (numberOf(ours, 'ms, 95 of 100') ?? 0) / (numberOf(plain, 'ms, 95 of 100') ?? Infinity)
  const bytes = (numberOf(ours, 'KiB a read') ?? 0) / (numberOf(plain, 'KiB a read') ?? 1)

  return [
    ...isLess(ours, 'times as fast') ? [
      `**4 KiB at a random place**, with default frames: ${ours['ms, median']} ms, ` +
      `plain Helia ${plain['ms, median']} ms. ` +
      'A frame is decompressed as a whole; smaller frames are faster.'
    ] : [],
    ...late > 1 + NOISE ? [
      `**4 KiB at a random place**: the slowest 5 % of reads take ${ours['ms, 95 of 100']} ms or more ` +
      `(plain Helia: ${plain['ms, 95 of 100']} ms).`
    ] : [],
    ...bytes > 1 + NOISE ? [
      `**4 KiB at a random place** reads ${rounded(bytes)} times the bytes that plain Helia reads.`
    ] : []
  ]
}

function fromTree (results: Results): string[] {
  const rows = rowsOf(results, 'tree')

  return rows.filter(row => row.side === 'ipfsz').flatMap(row => {
    const tar = numberOf(find(rows, { tree: row.tree, side: 'one .tar.zst' }), 'stored / original') ?? 1
    const ours = numberOf(row, 'stored / original') ?? 0

    return [
      ...ours > tar * (1 + NOISE) ? [
        `**small files**, ${row.tree}: ${rounded(ours / tar)} times the bytes of one \`.tar.zst\`, ` +
        'which compresses all files together.'
      ] : [],
      ...[PLAIN, 'one .tar.zst'].flatMap(side => {
        const other = find(rows, { tree: row.tree, side })
        const slower = ['add', 'read all', 'read one'].flatMap(what => {
          const column = `${what}, times as fast`
          const speed = (numberOf(row, column) ?? NaN) / (numberOf(other, column) ?? NaN)

          return speed < 1 - NOISE ? [`${what} at ${rounded(speed)} times its speed`] : []
        })

        return slower.length === 0 ? [] : [
          `**small files**, ${row.tree}, against ${side === PLAIN ? side : `\`${side}\``}: ${list(slower)}.`
        ]
      })
    ]
  })
}

/** With a base, against every other side, since that is what it is for. */
function fromVersions (results: Results): string[] {
  const rows = rowsOf(results, 'versions')

  return rows.filter(row => row.side === 'ipfsz, with a base').flatMap(row => {
    const others = rows.filter(({ series, side }) => series === row.series && side !== row.side)
    const smaller = others.filter(other => isMore(row, other, 'each later, KiB'))
      .map(other => `${String(other.side)} (${String(other['each later, KiB'])} KiB)`)
    const faster = (['add the later', 'read the last'] as const).flatMap(what =>
      others.filter(other => isMore(row, other, `${what}, ms`)).map(other => `${what}: ${String(other.side)}`))

    return [
      ...smaller.length === 0 ? [] : [
        `**releases of a file**, ${row.series}: each later one takes ${row['each later, KiB']} KiB with a base, ` +
        `which is more than with ${list(smaller)}.`
      ],
      ...faster.length === 0 ? [] : [
        `**releases of a file**, ${row.series}: with a base it is slower than others to ${list(faster)}.`
      ]
    ]
  })
}

function isMore (row: Row, other: Row, column: string): boolean {
  return (numberOf(row, column) ?? 0) > (numberOf(other, column) ?? Infinity) * (1 + NOISE)
}

function fromBypass (results: Results): string[] {
  return [['add', 'plain'], ['add', 'detection off'], ['cat', 'plain']].flatMap(([what, other]) => {
    const column = `${what}: times as fast as ${other}`
    const slow = rowsOf(results, 'bypass').filter(row => isLess(row, column))

    return slow.length === 0 ? [] : [
      `**files that are compressed already** are ${what === 'add' ? 'added' : 'read'} slower ` +
      `than with ${other === 'plain' ? PLAIN : other}: ${list(slow.map(row => `${row.file} (${row[column]})`))}.`
    ]
  })
}

function fromLinks (results: Results): string[] {
  const read = rowsOf(results, 'links').filter(
    row => row.links === 1000 && (numberOf(row, 'open and read, ms') ?? 0) > LINKS.recovery
  )
  const make = rowsOf(results, 'links').filter(
    row => row.links === 1000 && (numberOf(row, 'make, ms') ?? 0) > LINKS.update
  )
  const cost = rowsOf(results, 'links', 1).filter(row => (numberOf(row, 'links cost, %') ?? 0) > 4)

  return [
    ...make.length === 0
      ? []
      : [
        `**making 1000 links** takes longer than the paper's ${LINKS.update} ms with ${list(make.map(row =>
          `datastore-${row.datastore} (${row['make, ms']} ms)`))}.`
      ],
    ...read.length === 0 ? [] : [
      `**reading 1000 links** in a new process takes longer than the paper's ${LINKS.recovery} ms ` +
      `with ${list(read.map(row =>
        `datastore-${row.datastore} (${row['open and read, ms']} ms, ${row['open, ms']} of them to open it)`))}.`
    ],
    ...cost.length === 0
      ? []
      : [
        `**adding with links** takes ${list(cost.map(row =>
          `${row['links cost, %']} % longer with datastore-${row.datastore}`))} (the paper: ${LINKS.partOfUpload}), ` +
        'because each original is hashed for its content CID, and its link is written.'
      ]
  ]
}

function fromMemory (results: Results): string[] {
  const rows = rowsOf(results, 'memory')

  const ours = rows.filter(row => row.side === DEFAULT)

  return ['add', 'cat'].flatMap(what => {
    const more = ours.filter(row => {
      const plain = numberOf(find(rows, { MB: row.MB, side: PLAIN }), `${what}, MB`) ?? Infinity

      return (numberOf(row, `${what}, MB`) ?? 0) > plain * (1 + NOISE)
    })

    const middle = find(ours, { MB: 100 })
    const last = ours.at(-1)
    const growth = (numberOf(last, `${what}, MB`) ?? 0) / (numberOf(middle, `${what}, MB`) ?? Infinity)

    return [
      ...more.length === 0
        ? []
        : [
          `**memory**: ${what} takes more than plain Helia with ${list(more.map(row =>
            `${row.MB} MB (${row[`${what}, MB`]} MB resident)`))}.`
        ],
      ...growth > 1 + GROWTH ? [
        `**memory grows**: ${what} of ${last?.MB} MB takes ${rounded(growth)} times as much as ${what} of 100 MB.`
      ] : []
    ]
  }).concat(
    ours.filter(row => row.failed !== '' && row.failed != null).map(
      row => `**memory**: ${row.MB} MB failed: ${row.failed}.`
    )
  )
}

function fromBrowser (results: Results): string[] {
  const all = rowsOf(results, 'browser')
  const rows = all.filter(({ side }) => side !== PLAIN && side !== FLOOR)

  return [...new Set(rows.map(({ store }) => store))].flatMap(store => ['add', 'cat'].flatMap(what => {
    const column = `${what}, times as fast`
    const slow = rows.filter(row => row.store === store && isLess(row, column))
    const floor = numberOf(find(all, { store, side: FLOOR }), column)
    const share = numberOf(find(rows, { store, side: DEFAULT }), `${what}, share of the floor`)
    const limit = floor == null || share == null
      ? ''
      : ` Even the codec, the hash and the store alone reach only ${floor}; zstd 3 reaches ${share} of that.`

    return slow.length === 0
      ? []
      : [
        `**in a page**, store ${store}: ${what} is slower than with plain Helia: ${list(slow.map(row =>
          `${String(row.side).replace('ipfsz, ', '')} (${row[column]})`))}.${limit}`
      ]
  }))
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { median, rounded, spread } from './benchmark.ts'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { PLAIN } from './support/file-systems.ts'
import { FLOOR } from './support/floor/names.ts'
import { measureInPage } from './support/in-page.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { PageMeasurement } from './support/browser-page.ts'
import type { PartTimes } from './support/page-parts.ts'

const MB = 1e6

/** The script of a page that fetches the bytes and measures with them, and of the workers of its floor. */
const SCRIPT = `
  import { serveFloor } from '${join(import.meta.dirname, 'support/page-floor-worker.ts')}'

  if (typeof document === 'undefined') {
    serveFloor()
  } else {
    window.measure = async rounds => {
      const { measurePage } = await import('${join(import.meta.dirname, 'support/browser-page.ts')}')
      const { measureParts } = await import('${join(import.meta.dirname, 'support/page-parts.ts')}')
      const bytes = new Uint8Array(await (await fetch('bytes')).arrayBuffer())

      return { measurements: await measurePage(bytes, rounds), parts: await measureParts(bytes, rounds) }
    }
  }
`

const ABOUT_FLOOR = 'The floor compresses or decompresses, hashes and stores the same frames in memory, in as many ' +
  'workers as there are cores, and does nothing else'

const ABOUT_PARTS = 'What the floor of a read consists of: each part alone, in one thread. Workers share the ' +
  'first and the last of these'

interface Measured {
  measurements: PageMeasurement[]
  parts: PartTimes[]
}

export const benchmark: Benchmark = {
  question: 'how long adding and reading a file takes in a page, on IndexedDB and in memory, with each codec',
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const mixed = await mixedFile(corpus, options)
      const size = (options.smoke ? 1 : 16) * MB
      const bytes = await readFile(await fileOfSize(corpus, mixed, size))
      const { measurements, parts } = await measureInPage<Measured>(SCRIPT, bytes, options.smoke ? 1 : 5)
      const cids = measurements.filter(({ store, side }) => store === 'memory' && side !== FLOOR)

      return [
        {
          title: `${size / MB} MB of ${mixed.name}, in Chromium. ${ABOUT_FLOOR}`,
          rows: measurements.map(measurement => toRow(measurement, size, measurements))
        },
        { title: ABOUT_PARTS, rows: parts.map(({ part, times }) => toPartRow(part, times, measurements)) },
        { title: `What was added (${corpus.source})`, rows: cids.map(({ side, cid }) => ({ side, CID: cid })) }
      ]
    })
  }
}

function toPartRow (part: string, times: readonly number[], measurements: readonly PageMeasurement[]): Row {
  const plain = measurements.find(({ store, side }) => store === 'memory' && side === PLAIN)

  return {
    'what a read needs': part,
    'ms, median': rounded(median(times)),
    'ms, spread': spread(times),
    'times plain Helia\'s cat from memory': rounded(median(times) / median(plain?.cat ?? times))
  }
}

function toRow (
  { store, side, add, cat }: PageMeasurement,
  size: number,
  measurements: readonly PageMeasurement[]
): Row {
  const plain = measurements.find(measurement => measurement.store === store && measurement.side === PLAIN)
  const floor = measurements.find(({ store: of, side }) => of === store && side === FLOOR)
  const speed = (times: readonly number[]): number => rounded(size / MB / median(times) * 1000)

  return {
    store,
    side,
    'add, MB/s': speed(add),
    'add, times as fast': rounded(median(plain?.add ?? add) / median(add)),
    'add, share of the floor': share(floor?.add, add),
    'add, ms, spread': spread(add),
    'cat, MB/s': speed(cat),
    'cat, times as fast': rounded(median(plain?.cat ?? cat) / median(cat)),
    'cat, share of the floor': share(floor?.cat, cat),
    'cat, ms, spread': spread(cat)
  }
}

/** How much of the floor's speed a side reaches. */
function share (floor: readonly number[] | undefined, times: readonly number[]): number | string {
  return floor == null ? '-' : rounded(median(floor) / median(times))
}

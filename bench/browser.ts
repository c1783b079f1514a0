import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { median, rounded, spread } from './benchmark.ts'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { PLAIN } from './support/file-systems.ts'
import { measureInPage } from './support/in-page.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { PageMeasurement } from './support/browser-page.ts'

const MB = 1e6

/** The script of a page that fetches the bytes and measures with them. */
const SCRIPT = `
  import { measurePage } from '${join(import.meta.dirname, 'support/browser-page.ts')}'

  window.measure = async rounds => measurePage(new Uint8Array(await (await fetch('bytes')).arrayBuffer()), rounds)
`

export const benchmark: Benchmark = {
  question: 'how long adding and reading a file takes in a page, on IndexedDB and in memory, with each codec',
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const mixed = await mixedFile(corpus, options)
      const size = (options.smoke ? 1 : 16) * MB
      const bytes = await readFile(await fileOfSize(corpus, mixed, size))
      const measurements = await measureInPage<PageMeasurement[]>(SCRIPT, bytes, options.smoke ? 1 : 5)
      const cids = measurements.filter(({ store }) => store === 'memory')

      return [
        {
          title: `${size / MB} MB of ${mixed.name}, in Chromium`,
          rows: measurements.map(measurement => toRow(measurement, size, measurements))
        },
        { title: `What was added (${corpus.source})`, rows: cids.map(({ side, cid }) => ({ side, CID: cid })) }
      ]
    })
  }
}

function toRow (
  { store, side, add, cat }: PageMeasurement,
  size: number,
  measurements: readonly PageMeasurement[]
): Row {
  const plain = measurements.find(measurement => measurement.store === store && measurement.side === PLAIN)
  const speed = (times: readonly number[]): number => rounded(size / MB / median(times) * 1000)

  return {
    store,
    side,
    'add, MB/s': speed(add),
    'add, times as fast': rounded(median(plain?.add ?? add) / median(add)),
    'add, ms, spread': spread(add),
    'cat, MB/s': speed(cat),
    'cat, times as fast': rounded(median(plain?.cat ?? cat) / median(cat)),
    'cat, ms, spread': spread(cat)
  }
}

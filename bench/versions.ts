import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { median, progress, rounded, spread, sum } from './benchmark.ts'
import { PLAIN } from './support/file-systems.ts'
import { measureCuts } from './support/measure-cuts.ts'
import { measureSides } from './support/measure-versions.ts'
import { runVersions } from './support/task.ts'
import { withDirectory } from './support/temporary.ts'
import { readSeries, seriesNames } from './support/version-series.ts'
import { LIBRARY_SIDES, TOOL_SIDES } from './support/version-stores.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Measured } from './support/measure-versions.ts'
import type { Series } from './support/version-series.ts'
import type { VersionSide } from './support/version-stores.ts'

const ABOUT = 'For each series, the libraries take turns in one process that does nothing else, and has done the ' +
  'same before. Times are medians. Tools are started anew for each step: their times include that'

export const benchmark: Benchmark = {
  question: 'how many bytes the releases of a file take up together, and how long it takes to add and to read them',
  inputs: [],

  async run ({ smoke }) {
    const rows: Row[] = []

    for (const name of seriesNames(smoke)) {
      progress(name)
      const series = readSeries(name)
      const measured = await withDirectory(async directory => compare(series, directory, smoke))
      rows.push(...[...LIBRARY_SIDES, ...TOOL_SIDES].map(side => toRow(side, series, measured)))
    }

    return [
      { title: `Releases of a file, added one after the other, on an FsBlockstore. ${ABOUT}`, rows },
      { title: 'Cutting by content, on one thread', rows: await measureCuts(smoke ? 1 : 30) }
    ]
  }
}

async function compare (series: Series, directory: string, smoke: boolean): Promise<Record<string, Measured[]>> {
  const paths = series.versions.map((_, i) => join(directory, 'versions', `${i}`))
  await mkdir(join(directory, 'versions'))

  for (const [i, bytes] of series.versions.entries()) {
    await writeFile(paths[i], bytes)
  }

  const rounds = { directory, warmUps: smoke ? 0 : 2, rounds: smoke ? 1 : 5 }
  const libraries = await runVersions({ series: series.name, ...rounds })
  const tools = await measureSides(TOOL_SIDES, series, { ...rounds, warmUps: 0, paths })

  return { ...libraries, ...tools }
}

/** A step that is timed. */
type Step = Exclude<keyof Measured, 'added'>

function medianOf (all: readonly Measured[], step: Step): number {
  return median(all.map(measured => measured[step]))
}

function toRow ({ name }: VersionSide, { name: series, versions }: Series, measured: Record<string, Measured[]>): Row {
  const all = measured[name]
  const plain = measured[PLAIN]
  const original = sum(versions.map(({ byteLength }) => byteLength))
  const [{ added }] = all
  const timesAsFast = (step: Step): number => rounded(medianOf(plain, step) / medianOf(all, step))

  return {
    series,
    versions: versions.length,
    MB: rounded(original / 1e6),
    side: name,
    'stored / original': Number((sum(added) / original).toFixed(4)),
    'first, KiB': rounded(added[0] / 1024),
    'each later, KiB': rounded(sum(added.slice(1)) / (added.length - 1) / 1024),
    'add the first, ms': rounded(medianOf(all, 'addFirst')),
    'add the first, times as fast': timesAsFast('addFirst'),
    'add the later, ms': rounded(medianOf(all, 'addLater')),
    'add the later, spread': spread(all.map(({ addLater }) => addLater)),
    'add the later, times as fast': timesAsFast('addLater'),
    'read the last, ms': rounded(medianOf(all, 'readLast')),
    'read the last, spread': spread(all.map(({ readLast }) => readLast)),
    'read the last, times as fast': timesAsFast('readLast')
  }
}

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { measure, median, progress, rotate, rounded, spread, sum } from './benchmark.ts'
import { PLAIN } from './support/file-systems.ts'
import { withDirectory } from './support/temporary.ts'
import { readSeries } from './support/version-series.ts'
import { VERSION_SIDES } from './support/version-stores.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Series } from './support/version-series.ts'
import type { VersionSide } from './support/version-stores.ts'

/** One run of a side: what each version added, in bytes, and times in milliseconds. */
interface Measured {
  added: number[]
  addFirst: number
  addLater: number
  readLast: number
}

export const benchmark: Benchmark = {
  question: 'how many bytes the releases of a file take up together, and how long it takes to add and to read them',
  inputs: [],

  async run ({ smoke }) {
    const rows: Row[] = []

    for (const series of readSeries(smoke)) {
      progress(series.name)
      const measured = await withDirectory(async directory => compare(series, directory, smoke ? 1 : 25))
      rows.push(...VERSION_SIDES.map(side => toRow(side, series, measured)))
    }

    return [{
      title: 'Releases of a file, added one after the other, on an FsBlockstore. Tools are started anew for each: ' +
        'their times include that',
      rows
    }]
  }
}

async function compare (series: Series, directory: string, rounds: number): Promise<Map<string, Measured[]>> {
  const measured = new Map<string, Measured[]>(VERSION_SIDES.map(({ name }) => [name, []]))
  const paths = series.versions.map((_, i) => join(directory, 'versions', `${i}`))
  await mkdir(join(directory, 'versions'))

  for (const [i, bytes] of series.versions.entries()) {
    await writeFile(paths[i], bytes)
  }

  for (let round = 0; round < rounds; round++) {
    for (const side of rotate(VERSION_SIDES, round)) {
      measured.get(side.name)?.push(await measureSide(side, series, paths, join(directory, 'store')))
    }
  }

  return measured
}

async function measureSide (
  side: VersionSide,
  { versions }: Series,
  paths: readonly string[],
  directory: string
): Promise<Measured> {
  const store = await side.open(directory)
  const empty = store.stored()
  const totals = [empty]
  const times: number[] = []

  for (const [i, bytes] of versions.entries()) {
    const { wall } = await measure(async () => store.add(bytes, paths[i]))
    times.push(wall)
    totals.push(store.stored())
  }

  const { wall: readLast, result } = await measure(async () => store.readLast())

  if (Buffer.compare(result, versions[versions.length - 1]) !== 0) {
    throw new Error(`${side.name} read back other bytes than it was given`)
  }

  await rm(directory, { recursive: true })

  return {
    added: versions.map((_, i) => totals[i + 1] - totals[i]),
    addFirst: times[0],
    addLater: sum(times.slice(1)),
    readLast
  }
}

function toRow ({ name }: VersionSide, { name: series, versions }: Series, measured: Map<string, Measured[]>): Row {
  const all = measured.get(name) ?? []
  const plain = measured.get(PLAIN) ?? []
  const original = sum(versions.map(({ byteLength }) => byteLength))
  const [{ added }] = all
  const of = (values: readonly Measured[], key: Exclude<keyof Measured, 'added'>): number =>
    median(values.map(measured => measured[key]))
  const timesAsFast = (key: Exclude<keyof Measured, 'added'>): number => rounded(of(plain, key) / of(all, key))

  return {
    series,
    versions: versions.length,
    MB: rounded(original / 1e6),
    side: name,
    'stored / original': Number((sum(added) / original).toFixed(4)),
    'first, KiB': rounded(added[0] / 1024),
    'each later, KiB': rounded(sum(added.slice(1)) / (added.length - 1) / 1024),
    'add the first, ms': rounded(of(all, 'addFirst')),
    'add the first, times as fast': timesAsFast('addFirst'),
    'add the later, ms': rounded(of(all, 'addLater')),
    'add the later, spread': spread(all.map(({ addLater }) => addLater)),
    'add the later, times as fast': timesAsFast('addLater'),
    'read the last, ms': rounded(of(all, 'readLast')),
    'read the last, spread': spread(all.map(({ readLast }) => readLast)),
    'read the last, times as fast': timesAsFast('readLast')
  }
}

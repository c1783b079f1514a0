import { readFileSync } from 'node:fs'

/** Releases of one file, the oldest first. */
export interface Series {
  name: string
  versions: readonly Uint8Array[]
}

/** A program, a smaller one, and data that grow. The lock file pins the packages, so the bytes never change. */
const SERIES: ReadonlyArray<{ name: string, urls: readonly string[] }> = [
  {
    // the compilers 5.7.3 and 5.8.3, from packages without a `tsc` that would take the place of ours
    name: 'typescript.js',
    urls: [
      import.meta.resolve('typescript-5.7/dist/typescript.js'),
      import.meta.resolve('typescript-5.8/dist/typescript.js')
    ]
  },
  {
    name: 'jquery.js',
    urls: [
      import.meta.resolve('jquery-3.6.4/dist/jquery.js'),
      import.meta.resolve('jquery-3.7.0/dist/jquery.js'),
      import.meta.resolve('jquery-3.7.1/dist/jquery.js')
    ]
  },
  {
    name: 'mime-db',
    urls: [
      import.meta.resolve('mime-db-1.52/db.json'),
      import.meta.resolve('mime-db-1.53/db.json'),
      import.meta.resolve('mime-db-1.54/db.json')
    ]
  }
]

/** The names of the series to measure, or only of the smallest. */
export function seriesNames (smallest: boolean): string[] {
  return SERIES.slice(smallest ? -1 : 0).map(({ name }) => name)
}

export function readSeries (name: string): Series {
  const { urls } = SERIES.find(series => series.name === name) ?? { urls: [] }

  return { name, versions: urls.map(url => readFileSync(new URL(url))) }
}

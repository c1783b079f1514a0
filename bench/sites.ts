import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { publishSite } from '@ipfsz/site'
import { progress, rounded, sum } from './benchmark.ts'
import { SiteVisitor } from './support/site-visitor.ts'
import { siteReleases } from './support/site-releases.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { PublishedSite } from '@ipfsz/site'

const ABOUT = 'A visitor loads the start page of each release, in Chromium, with what the browser kept of the one ' +
  'before; a first visit is with an empty browser. `ipfsz gateway` runs with `--compress all`. Bytes of visits ' +
  'include all headers; those of files, plain and with gzip, have none'

export const benchmark: Benchmark = {
  question: 'what a new release of a site adds to its CAR, and what a visitor who comes back fetches of it',
  inputs: ['corpus'],

  async run (options) {
    return withDirectory(async directory => {
      const releases = await siteReleases(directory, options)
      const published: PublishedSite[] = []
      const alone: PublishedSite[] = []

      for (const release of releases) {
        progress(`adding ${release}`)
        const car = `${release}.car`
        const [last] = published.slice(-1)
        published.push(await publishSite(join(directory, 'repo'), release, { car, base: last?.cid }))
        alone.push(await publishSite(join(directory, 'alone'), release))
      }

      const visitor = await SiteVisitor.start(join(directory, 'repo'), join(directory, 'profile'))
      const rows: Row[] = []

      try {
        for (const [i, site] of published.entries()) {
          progress(`visiting release ${i}`)
          const { worker, gateway } = await visitor.visit(site, i)
          const fresh = await freshVisit(directory, site, i)
          const changed = await changedFiles(releases[i], releases[i - 1])
          const gzipped = changed.map(bytes => gzipSync(bytes).byteLength)

          rows.push({
            release: i + 1,
            files: site.files,
            'original, KiB': kib(site.size),
            'CAR, KiB': kib(site.carSize ?? 0),
            'new in the CAR, KiB': kib(site.newSize),
            'new without a base, KiB': kib(alone[i].newSize),
            'changed files, plain, KiB': kib(sum(changed.map(({ byteLength }) => byteLength))),
            'changed files, gzip, KiB': kib(sum(gzipped)),
            'visit with the worker, KiB': kib(worker),
            'visit at ipfsz gateway, KiB': kib(gateway),
            'first visit with the worker, KiB': kib(fresh.worker),
            'first visit at ipfsz gateway, KiB': kib(fresh.gateway)
          })
        }
      } finally {
        await visitor.close()
      }

      return [{ title: ABOUT, rows }]
    })
  }
}

/** A visit by somebody who never saw the site. */
async function freshVisit (
  directory: string,
  site: PublishedSite,
  release: number
): Promise<{ worker: number, gateway: number }> {
  const visitor = await SiteVisitor.start(join(directory, 'repo'), join(directory, `profile-${release}`))

  try {
    return await visitor.visit(site, release)
  } finally {
    await visitor.close()
  }
}

function kib (bytes: number): number {
  return rounded(bytes / 1024)
}

/** The files of a release that the one before does not have, or has with other content. */
async function changedFiles (release: string, before: string | undefined): Promise<Buffer[]> {
  const [files, old] = await Promise.all([release, before].map(async path => path == null ? new Map() : contents(path)))

  return [...files].filter(([name, bytes]) => hash(bytes) !== hash(old.get(name))).map(([, bytes]) => bytes)
}

async function contents (directory: string): Promise<Map<string, Buffer>> {
  const names = await readdir(directory, { recursive: true })
  const files = new Map<string, Buffer>()

  for (const name of names.toSorted()) {
    if ((await stat(join(directory, name))).isFile()) {
      files.set(name, await readFile(join(directory, name)))
    }
  }

  return files
}

function hash (bytes: Buffer | undefined): string {
  return createHash('sha256').update(bytes ?? '').digest('hex')
}

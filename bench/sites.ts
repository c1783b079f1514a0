import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publishSite } from '@ipfsz/site'
import { progress, rounded, sum } from './benchmark.ts'
import { SiteVisitor } from './support/site-visitor.ts'
import { makeReleases, siteSources } from './support/site-releases.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, Row, Table } from './benchmark.ts'
import type { PublishedSite } from '@ipfsz/site'

const run = promisify(execFile)

const ABOUT = 'A visitor loads the start page of each release, in Chromium, and stays for 3 s, with what the browser ' +
  'kept of the one before; a first visit is with an empty browser. `ipfsz gateway` runs with `--compress all`, and ' +
  'the name is fresh for no time: so a first visit there fetches files whose names stay twice, the second time to ' +
  'keep them. Bytes of visits include all headers; those of files, plain and with gzip, have none'

export const benchmark: Benchmark = {
  question: 'what a new release of a site adds to its CAR, and what a visitor who comes back fetches of it',
  inputs: ['corpus'],

  async run (options) {
    const tables: Table[] = []

    for (const site of await siteSources(options)) {
      const rows = await withDirectory(async directory => measureSite(directory, await makeReleases(directory, site)))
      tables.push({ title: `${site.name}. ${ABOUT}`, rows })
    }

    return tables
  }
}

async function measureSite (directory: string, releases: readonly string[]): Promise<Row[]> {
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
      const gzipped = changed.map(({ bytes }) => gzipSync(bytes).byteLength)
      const loaded = changed.filter(({ path }) => gateway.paths.includes(path))
      const loadedGzip = sum(loaded.map(({ bytes }) => gzipSync(bytes).byteLength))
      const patches = await Promise.all(loaded.map(async file => patchSize(file, join(directory, 'patch'))))

      rows.push({
        release: i + 1,
        files: site.files,
        'original, KiB': kib(site.size),
        'CAR, KiB': kib(site.carSize ?? 0),
        'new in the CAR, KiB': kib(site.newSize),
        'new without a base, KiB': kib(alone[i].newSize),
        'changed files, plain, KiB': kib(sum(changed.map(({ bytes }) => bytes.byteLength))),
        'changed files, gzip, KiB': kib(sum(gzipped)),
        'changed files that the page loads, gzip, KiB': kib(loadedGzip),
        'bodies fetched at ipfsz gateway, % of that': rounded(100 * gateway.bodies / loadedGzip),
        'zstd -19 --patch-from, % of that': rounded(100 * sum(patches) / loadedGzip),
        'visit with the worker, KiB': kib(worker.sent),
        'visit at ipfsz gateway, KiB': kib(gateway.sent),
        'first visit with the worker, KiB': kib(fresh.worker.sent),
        'first visit at ipfsz gateway, KiB': kib(fresh.gateway.sent)
      })
    }
  } finally {
    await visitor.close()
  }

  return rows
}

/** A visit by somebody who never saw the site. */
async function freshVisit (
  directory: string,
  site: PublishedSite,
  release: number
): ReturnType<SiteVisitor['visit']> {
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

/** A file of a release that the one before does not have, or has with other content. */
interface ChangedFile {
  /** As a page loads it. */
  path: string
  bytes: Buffer
  /** The file in the release before: of the same name, but for what a bundler makes of its content. */
  before: Buffer | undefined
}

/** The name of a file without what a bundler makes of its content, as in `index-Bx1Hs_kq.lean.js`. */
function nameWithoutHash (name: string): string {
  return name.replace(/(?<=[.-])[\w-]{8,64}(?=(?:\.\w{1,7})+$)/, '*')
}

async function changedFiles (release: string, before: string | undefined): Promise<ChangedFile[]> {
  const [files, old] = await Promise.all([release, before].map(async path => path == null ? new Map() : contents(path)))
  const byPattern = new Map([...old].map(([name, bytes]) => [nameWithoutHash(name), bytes]))

  return [...files].filter(([name, bytes]) => hash(bytes) !== hash(old.get(name))).map(([name, bytes]) => ({
    path: name === 'index.html' ? '/' : `/${name}`,
    bytes,
    before: old.get(name) ?? byPattern.get(nameWithoutHash(name))
  }))
}

/** Bytes of what changed in a file, as the zstd tool writes it: what can be done. Without an earlier file, of gzip. */
async function patchSize ({ bytes, before }: ChangedFile, directory: string): Promise<number> {
  if (before == null) {
    return gzipSync(bytes).byteLength
  }

  const work = await mkdtemp(directory)
  const [from, to, patch] = ['from', 'to', 'patch'].map(name => join(work, name))
  await writeFile(from, before)
  await writeFile(to, bytes)
  await run('zstd', ['-q', '--ultra', '-19', '--long=27', `--patch-from=${from}`, to, '-o', patch])

  return (await stat(patch)).size
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

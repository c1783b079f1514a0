import { appendFile, cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { BenchmarkOptions } from '../benchmark.ts'

/** What the bundle of each release is made of: each release has another version of one package. */
const PACKAGES: ReadonlyArray<readonly [jquery: string, mimeDb: string]> = [
  ['3.6.4', '1.52'], ['3.7.0', '1.52'], ['3.7.0', '1.53'], ['3.7.1', '1.53'], ['3.7.1', '1.54']
]

/** An attribute of the page's root that says which release runs. */
export const MARK = 'data-release'

/** A site, and how its releases are made in a directory, the oldest first. */
interface SiteSource {
  name: string
  releases: Array<(directory: string) => Promise<void>>
}

/** A page that Vite bundles with two packages, and the sites in the corpus: a directory each, with one a release. */
export async function siteSources (
  { corpus, smoke }: Pick<BenchmarkOptions, 'corpus' | 'smoke'>
): Promise<SiteSource[]> {
  const bundles = PACKAGES.slice(0, smoke ? 2 : undefined).map(versions => async (to: string) => bundle(to, versions))
  const names = corpus == null ? [] : (await readdir(corpus)).toSorted()
  const given = names.map(async name => {
    const from = join(corpus ?? '', name)
    const copies = (await readdir(from)).toSorted()
      .map(release => async (to: string) => cp(join(from, release), to, { recursive: true }))

    return { name, releases: copies }
  })

  return [{ name: 'a page that Vite bundles', releases: bundles }, ...await Promise.all(given)]
}

/** Make the releases of a site in a directory. Each page says which one it is. */
export async function makeReleases (directory: string, { releases }: SiteSource): Promise<string[]> {
  return Promise.all(releases.map(async (make, i) => {
    const release = join(directory, `release-${i}`)
    await make(release)
    const script = `document.documentElement.setAttribute('${MARK}', ${i})`
    await appendFile(join(release, 'index.html'), `<script>${script}</script>`)

    return release
  }))
}

async function bundle (outDir: string, [jquery, mimeDb]: readonly [string, string]): Promise<void> {
  const root = `${outDir}-source`
  await mkdir(root)
  await writeFile(join(root, 'index.html'), '<!doctype html><title>Types</title><h1>Types of files</h1><ul></ul>' +
    '<script type="module" src="main.js"></script>')
  await writeFile(join(root, 'main.js'), [
    `import $ from ${pathOf(`jquery-${jquery}/dist/jquery.js`)}`,
    `import types from ${pathOf(`mime-db-${mimeDb}/db.json`)}`,
    "for (const type of Object.keys(types).slice(0, 50)) $('<li>').text(type).appendTo('ul')"
  ].join('\n'))
  await build({ root, configFile: false, logLevel: 'error', build: { outDir, emptyOutDir: true } })
}

/** Where a file of a package is, as a string of JavaScript. */
function pathOf (name: string): string {
  return JSON.stringify(fileURLToPath(import.meta.resolve(name)))
}

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

/**
 * The directories of releases of a built site, the oldest first: those in the corpus, or a page that Vite bundles with
 * two packages.
 *
 * @param directory - where they are made
 */
export async function siteReleases (
  directory: string,
  { corpus, smoke }: Pick<BenchmarkOptions, 'corpus' | 'smoke'>
): Promise<string[]> {
  const releases: string[] = []
  const names = corpus == null ? undefined : (await readdir(corpus)).toSorted()

  for (const [i, given] of (names ?? PACKAGES.slice(0, smoke ? 2 : undefined)).entries()) {
    const release = join(directory, `release-${i}`)
    await (typeof given === 'string'
      ? cp(join(corpus ?? '', given), release, { recursive: true })
      : bundle(release, given))
    const script = `document.documentElement.setAttribute('${MARK}', ${i})`
    await appendFile(join(release, 'index.html'), `<script>${script}</script>`)
    releases.push(release)
  }

  return releases
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

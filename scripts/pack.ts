/**
 * Prepares the directory of a package before npm packs it, and with `--undo` afterwards. Packs have the licences, as
 * npm packs only the package's own directory, and say which Node they need. In the repository they do not: its `npm ci`
 * runs on an older Node, which only installs the one that runs them, and would warn of each package twice. So publish
 * packs, not directories: npm would read the manifest of a directory again once this is undone.
 */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What packages need. */
const ENGINES = { node: '>=22.15' }
const MANIFEST = 'package.json'

for (const licence of ['LICENSE-APACHE', 'LICENSE-MIT']) {
  copyFileSync(join(import.meta.dirname, '..', licence), licence)
}

const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as object
const engines = process.argv.includes('--undo') ? undefined : ENGINES

// whole: another process may be packing the same package
writeFileSync(`${MANIFEST}.new`, `${JSON.stringify({ ...manifest, engines }, undefined, 2)}\n`)
renameSync(`${MANIFEST}.new`, MANIFEST)

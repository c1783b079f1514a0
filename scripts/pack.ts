/**
 * Prepares the directory of a package before npm packs it, and with `--undo` afterwards. Packs have the licences, as
 * npm packs only the package's own directory, and say which Node they need. In the repository they do not: its `npm ci`
 * runs on an older Node, which only installs the one that runs them, and would warn of each package twice. In a
 * workflow of GitHub, packs also name its repository, without which npm refuses their provenance. So publish packs, not
 * directories: npm would read the manifest of a directory again once this is undone.
 */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { argv, cwd, env } from 'node:process'

/** What packages need. */
const ENGINES = { node: '>=22.15' }
const MANIFEST = 'package.json'

for (const licence of ['LICENSE-APACHE', 'LICENSE-MIT']) {
  copyFileSync(join(import.meta.dirname, '..', licence), licence)
}

const { GITHUB_SERVER_URL: server = 'https://github.com', GITHUB_REPOSITORY: name } = env
const repository = name == null
  ? {}
  : { repository: { type: 'git', url: `git+${server}/${name}.git`, directory: `packages/${basename(cwd())}` } }
const added = { engines: ENGINES, ...repository }
const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as object
const changed = argv.includes('--undo')
  ? Object.fromEntries(Object.entries(manifest).filter(([field]) => !Object.hasOwn(added, field)))
  : { ...manifest, ...added }

// whole: another process may be packing the same package
writeFileSync(`${MANIFEST}.new`, `${JSON.stringify(changed, undefined, 2)}\n`)
renameSync(`${MANIFEST}.new`, MANIFEST)

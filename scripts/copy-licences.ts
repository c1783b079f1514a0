/** Puts the licences into a package before it is packed: npm packs only what lies in it. */
import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = dirname(import.meta.dirname)

for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) {
  copyFileSync(join(ROOT, name), join(process.cwd(), name))
}

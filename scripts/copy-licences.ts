/** Copies the licences into a package before it is packed, because npm packs only the package's own directory. */
import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = dirname(import.meta.dirname)

for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) {
  copyFileSync(join(ROOT, name), join(process.cwd(), name))
}

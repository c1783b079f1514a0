import { execFile } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const SITE = join(ROOT, 'site/dist')
/** What the site is made of. */
const SOURCES = ['*.md', 'docs/**/*', 'packages/*/README.md', 'packages/*/src/**/*.ts', 'examples/**/*', 'site/*.ts']

/** The directory of the site, as `npm run docs` builds it. Builds it if something has changed since. */
export async function builtSite (): Promise<string> {
  const built = writtenAt(join(SITE, 'index.html'))
  const files = globSync(SOURCES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**', '**/generated/**'] })

  if (files.some(file => writtenAt(join(ROOT, file)) > built)) {
    await promisify(execFile)(process.execPath, [join(ROOT, 'site/build.ts')], { cwd: ROOT })
  }

  return SITE
}

function writtenAt (file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false })

  return stats?.isFile() === true ? stats.mtimeMs : 0
}

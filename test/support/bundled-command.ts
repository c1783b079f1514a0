import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleCommand } from '../../scripts/bundle-command.ts'

const PACKAGES = join(import.meta.dirname, '../../packages')

/** Bundle the command if a package was compiled since it was: tests start what was compiled last. */
export async function setup (): Promise<void> {
  const bundled = writtenAt('cli/bundle/run-process.cjs')

  if (globSync('*/dist/**/*.js', { cwd: PACKAGES }).some(file => writtenAt(file) > bundled)) {
    await bundleCommand()
  }
}

function writtenAt (file: string): number {
  return statSync(join(PACKAGES, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleCommand } from '../../scripts/bundle-command.ts'

const PACKAGES = join(import.meta.dirname, '../../packages')

/** Bundle the command if a package was compiled since it was: tests start what was compiled last. */
export async function setup (): Promise<void> {
  if (isOlder(join(PACKAGES, 'cli/bundle/run-process.cjs'), ['*/dist/**/*.js'])) {
    await bundleCommand()
  }
}

/** Whether a file of the packages was written after another one, or that one is not there. */
export function isOlder (made: string, from: readonly string[]): boolean {
  const madeAt = writtenAt(made)

  return globSync(from, { cwd: PACKAGES }).some(file => writtenAt(join(PACKAGES, file)) > madeAt)
}

function writtenAt (path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

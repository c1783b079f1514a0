/**
 * Packs all packages as for publishing, once, and runs a command with the directory of the packs in `$IPFSZ_PACKS`:
 *
 *   node scripts/with-packs.ts COMMAND [ARGUMENT...]
 *
 * Run after a build.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { argv, env } from 'node:process'
import { PACKAGES } from '../rooms.ts'

const ROOT = dirname(import.meta.dirname)
const packs = mkdtempSync(join(tmpdir(), 'ipfsz-packs-'))

function run (command: string, args: readonly string[]): number {
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT, env: { ...env, IPFSZ_PACKS: packs }, stdio: 'inherit'
  })

  if (error != null) {
    throw error
  }

  return status ?? 1
}

try {
  const workspaces = Object.keys(PACKAGES).flatMap(name => ['--workspace', `packages/${name}`])
  const [, , command, ...args] = argv
  process.exitCode = run('npm', ['pack', '--silent', ...workspaces, '--pack-destination', packs]) || run(command, args)
} finally {
  rmSync(packs, { recursive: true })
}

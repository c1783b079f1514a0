import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@ipfsz/codecs/internal'
import { MissingAddonError } from '../errors.ts'
import type { LevelDatastore } from 'datastore-level'

/**
 * Load LevelDB. It is an addon, and so an optional dependency: npm installs the command without it if it must.
 *
 * @throws {MissingAddonError}
 */
export async function loadLevel (): Promise<typeof LevelDatastore> {
  try {
    return (await import('datastore-level')).LevelDatastore
  } catch (err) {
    throw new MissingAddonError('classic-level', { cause: err })
  }
}

/**
 * Check that a LevelDB has only files. It reads others in threads that no signal ends, and writes where symlinks lead.
 *
 * @throws {Error} it has a symlink, a pipe, a socket or a device
 */
export async function checkLevelFiles (path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  const other = entries.find(entry => !entry.isFile() && !entry.isDirectory())

  if (other != null) {
    throw new Error(`${join(path, other.name)} is not a regular file`)
  }
}

/** Why LevelDB did not open a database: its own error says only that it failed. */
export function reasonOf (err: unknown): string {
  return messageOf(err instanceof Error && err.cause instanceof Error ? err.cause : err)
}

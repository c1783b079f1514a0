import { lstat, readdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '@ipfsz/utils/message-of'
import { holdDirectory } from '../disk/held-directory.ts'
import { copyRegularFile } from '../disk/copy-regular-file.ts'
import { MissingAddonError, RepoError } from '../errors.ts'
import type { LevelDatastore } from 'datastore-level'

/** Load LevelDB. It is an addon, and so an optional dependency: npm installs the command without it if it must. */
export async function loadLevel (): Promise<typeof LevelDatastore> {
  try {
    return (await import('datastore-level')).LevelDatastore
  } catch (err) {
    throw new MissingAddonError('classic-level', { cause: err })
  }
}

/**
 * Check that a LevelDB has only files. It reads others in threads that no signal ends, and writes where symlinks lead.
 */
export async function checkLevelFiles (path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  const other = entries.find(entry => !entry.isFile() && !entry.isDirectory())

  if (other != null) {
    throw new Error(`${join(path, other.name)} is not a regular file`)
  }
}

/** Copy the files of a LevelDB to a directory. LevelDB writes into its own even to read. */
export async function copyLevel (path: string, to: string, signal: AbortSignal): Promise<void> {
  const held = await holdDirectory(path)

  try {
    const entries = await readdir(held.path, { withFileTypes: true })
    const names = entries.filter(entry => entry.isFile() && entry.name !== 'LOCK').map(({ name }) => name)
    const disk = await statfs(to)
    let left = disk.bavail * disk.bsize

    for (const name of names) {
      left -= (await lstat(`${held.path}/${name}`)).size
    }

    if (left < 0 && disk.blocks > 0) {
      throw new RepoError(`The database ${path} is larger than what is free in ${tmpdir()} for a copy: free some space`)
    }

    for (const name of names) {
      await copyRegularFile(`${held.path}/${name}`, `${to}/${name}`, signal)
    }
  } finally {
    await held.close()
  }
}

/** Why LevelDB did not open a database: its own error says only that it failed. */
export function reasonOf (err: unknown): string {
  return messageOf(err instanceof Error && err.cause instanceof Error ? err.cause : err)
}

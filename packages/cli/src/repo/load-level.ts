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

/** Why LevelDB did not open a database: its own error says only that it failed. */
export function reasonOf (err: unknown): string {
  return messageOf(err instanceof Error && err.cause instanceof Error ? err.cause : err)
}

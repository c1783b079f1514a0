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

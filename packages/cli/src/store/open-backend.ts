import { UsageError } from '../errors.ts'
import { directoryBackend, resolveDirectory } from './directory-backend.ts'
import type { StoreBackend } from './store-backend.ts'

/**
 * The place that a reference names. Asks nothing of it.
 *
 * @param store - a directory, or a URL that begins with s3://
 */
export async function openBackend (store: string): Promise<StoreBackend> {
  return directoryBackend(store)
}

/**
 * What a reference calls the place that a user names.
 *
 * @throws {UsageError} it is a URL of another kind
 * @throws {StoreError} there is no such directory
 */
export async function resolveStore (store: string): Promise<string> {
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(store) ?? []

  if (scheme != null) {
    throw new UsageError(`"${store}" cannot be a store: name a directory, or a URL that begins with s3://`)
  }

  return resolveDirectory(store)
}

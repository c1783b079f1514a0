import { UsageError } from '../errors.ts'
import { directoryBackend, resolveDirectory } from './directory-backend.ts'
import type { BackendInit, StoreBackend } from './store-backend.ts'

/** What the URLs of buckets begin with. */
const S3 = 's3://'

/**
 * The place that a reference names. Asks nothing of it.
 *
 * @param store - a directory, or a URL that begins with s3://
 * @throws {S3UrlError}
 */
export async function openBackend (store: string, init?: BackendInit): Promise<StoreBackend> {
  if (!store.startsWith(S3)) {
    return directoryBackend(store)
  }

  const { s3Backend } = await import('./s3-backend.ts')

  return s3Backend(store, init)
}

/**
 * What a reference calls the place that a user names.
 *
 * @throws {UsageError} it is a URL of another kind
 * @throws {StoreError} there is no such directory
 */
export async function resolveStore (store: string): Promise<string> {
  if (store.startsWith(S3)) {
    return store
  }

  if (store.includes('://')) {
    throw new UsageError(`"${store}" cannot be a store: use a directory, or a URL that begins with s3://`)
  }

  return resolveDirectory(store)
}

import { hideSecrets, isUrlLike } from '@ipfsz/utils/hide-secrets'
import { UsageError } from '../errors.ts'
import { directoryBackend, resolveDirectory } from './directory-backend.ts'
import type { BackendInit, StoreBackend } from './store-backend.ts'

/** What the URLs of buckets begin with, as all of their schemes in capitals or not (RFC 3986, section 3.1). */
const S3 = /^s3:\/\//i

export function isS3Url (text: string): boolean {
  return S3.test(text)
}

/**
 * Check that a text names a directory, or a bucket. A directory whose name looks like a URL begins with `./`.
 *
 * @throws {UsageError} it is a URL of another kind
 */
export function checkPlace (text: string): void {
  if (!isS3Url(text) && isUrlLike(text)) {
    throw new UsageError(
      `"${hideSecrets(text)}" cannot be a store: use a directory, or a URL that begins with s3://`
    )
  }
}

/**
 * The place that a reference names. Asks nothing of it.
 *
 * @param store - a directory, or a URL that begins with s3://
 * @throws {S3UrlError}
 */
export async function openBackend (store: string, init?: BackendInit): Promise<StoreBackend> {
  if (!isS3Url(store)) {
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
  checkPlace(store)

  if (isS3Url(store)) {
    return store.replace(S3, 's3://')
  }

  return resolveDirectory(store)
}

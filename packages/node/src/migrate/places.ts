import { realpath } from 'node:fs/promises'
import { OwnStorage } from '../blocks/own-storage.ts'
import { UsageError } from '../errors.ts'
import { FileStorage } from '@ipfsz/shared-store/storage'
import { pathOf } from '@ipfsz/shared-store/objects'
import { MARK_KEY } from '@ipfsz/shared-store/places'
import type { BlockStorage } from '@ipfsz/shared-store/storage'
import type { SharedStore } from '@ipfsz/shared-store'

/** Where blocks lie: the same text for the same place. */
export async function placeOf (storage: BlockStorage, shared?: SharedStore): Promise<string> {
  return storage instanceof OwnStorage || storage instanceof FileStorage
    ? realpath(storage.path).catch(() => storage.path)
    : shared?.name ?? ''
}

/**
 * Its pins and sessions are known to the repos that use it.
 *
 * @throws {UsageError} the directory is a store that several nodes share
 */
export function refuseStore (names: ReadonlySet<string>, text: string): void {
  if (names.has(pathOf(MARK_KEY))) {
    throw sharedStoreError(text)
  }
}

/** For a place with the mark of a store. */
export function sharedStoreError (text: string): UsageError {
  return new UsageError(`${text} is a shared store`, { problem: 'is-store', place: text })
}

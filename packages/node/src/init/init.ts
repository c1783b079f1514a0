import { readReference, writeReference } from '@ipfsz/shared-store/reference'
import { lockAndTell } from '../context.ts'
import { RepoError } from '../errors.ts'
import { isSameCompression, readCompression, writeCompression } from '../repo/repo-compression.ts'
import { openRepo, openRepoToRead } from '../repo/repo.ts'
import type { NodeContext } from '../context.ts'
import type { RepoCompression } from '../repo/repo-compression.ts'

/** A repo that was created, or was there. */
export interface InitializedRepo {
  path: string
  /** How blocks are compressed at rest, or `none`. */
  codec: string
  /** The store that it shares, if it does. */
  store: string | undefined
  /** Whether it was there before. */
  exists: boolean
}

/**
 * Create a repo, and set how it stores blocks. No-op if the repo already stores them this way.
 *
 * @param compression - how to compress blocks at rest. By default as before; a new repo does not
 * @throws {RepoError} the repo stores blocks with another codec, or in a store
 */
export async function initRepo (context: NodeContext, compression?: RepoCompression): Promise<InitializedRepo> {
  const { signal, repo: path } = context
  const reference = await readReference(path)

  if (reference != null && compression != null) {
    throw new RepoError(
      `The repo ${path} keeps its blocks in the store ${reference.store}, which compresses them the same way for all ` +
        'nodes',
      { problem: 'shared' }
    )
  }

  const exists = await isRepo(path, signal)
  const before = await readCompression(path)

  if (exists && compression != null && !isSameCompression(before ?? { codec: 'none' }, compression)) {
    throw new RepoError(
      `The repo ${path} already stores blocks with ${describe(before)}`,
      { problem: 'other-codec' }
    )
  }

  const { path: made, shared } = await openRepo(path, { signal })

  if (!exists && compression != null) {
    await writeCompression(made, compression)
  }

  const { codec } = shared?.compression ?? compression ?? before ?? { codec: 'none' }

  return { path: made, codec, store: shared?.name, exists }
}

/** A repo that shares a store. */
export interface JoinedRepo {
  path: string
  /** Where the store is, without credentials. */
  store: string
  /** How the store compresses blocks, or `none`. */
  codec: string
  /** Whether the store was created now. */
  isNew: boolean
  /** Whether the repo had joined the store before. */
  wasJoined: boolean
}

export interface InitStoreOptions {
  /** How a new store compresses blocks. */
  compression?: RepoCompression | undefined
  /**
   * Size of the local cache, in bytes.
   *
   * @default the earlier setting, if there is one
   */
  cache?: number | undefined
}

/**
 * Create a repo that keeps blocks, pins, links and histories in a store that other nodes share. Creates the store in an
 * empty place, or joins an existing store.
 *
 * @param store - a directory, or a URL that begins with s3://
 * @throws {RepoError} the repo has blocks of its own, or uses another store
 * @throws {StoreError} the place contains something else than a store, or a store of a newer ipfsz
 */
export async function initStore (
  context: NodeContext,
  store: string,
  asked: InitStoreOptions = {}
): Promise<JoinedRepo> {
  const { signal, repo: path } = context
  const before = await readReference(path)

  if (before == null && await isRepo(path, signal)) {
    await checkIsEmpty(path, signal)
  }

  const { joinStore } = await import('@ipfsz/shared-store')
  const joined = await joinStore(store, { compression: asked.compression, signal })
  const { reference, compression: { codec }, isNew } = joined

  // of two nodes that made the store at the same moment, the mark of one is there: the other one joins it now
  if (before != null && before.id !== reference.id && before.store !== reference.store) {
    throw new RepoError(
      `The repo ${path} already uses the store ${before.store}`,
      { problem: 'other-store' }
    )
  }

  // what adds meanwhile must not add to the repo's own directory
  await (before == null ? openRepo(path, { signal }) : undefined)
  const release = await lockAndTell(path, 'gc', context)

  try {
    if (before == null) {
      await checkIsEmpty(path, signal)
    }

    await writeReference(path, { ...reference, cache: asked.cache ?? before?.cache })
  } finally {
    await release()
  }

  await openRepo(path, { signal })

  return { path, store: reference.store, codec, isNew, wasJoined: before?.id === reference.id }
}

async function isRepo (path: string, signal: AbortSignal): Promise<boolean> {
  return openRepoToRead(path, { signal }).then(() => true, (err: unknown) => {
    if (err instanceof RepoError && err.cause != null && 'code' in (err.cause as Error)) {
      return false
    }

    throw err
  })
}

/** @throws {RepoError} the repo has blocks or pins of its own, which no command would find any more */
async function checkIsEmpty (path: string, signal: AbortSignal): Promise<void> {
  const { storage, records } = await openRepoToRead(path, { signal })

  for await (const blocks of storage.files()) {
    if (blocks.length > 0) {
      throw ownContent(path, 'blocks')
    }
  }

  for await (const _ of records.query({ prefix: '/pin', limit: 1 })) {
    throw ownContent(path, 'pins')
  }
}

function ownContent (path: string, what: string): RepoError {
  return new RepoError(
    `The repo ${path} has ${what} of its own, which would be lost in a shared store`,
    { problem: 'own-content' }
  )
}

function describe (compression: RepoCompression | undefined): string {
  const { codec, level } = compression ?? { codec: 'none' }

  return level == null ? codec : `${codec} level ${level}`
}

import { rmdir } from 'node:fs/promises'
import { readReference, writeReference } from '@ipfsz/shared-store/reference'
import { lockAndTell } from '../context.ts'
import { isSameCompression, readBlockSetting, writeBlockSetting } from '../blocks/block-setting.ts'
import { findGroupWritable } from '../disk/shared-path.ts'
import { RepoError, UsageError } from '../errors.ts'
import { emit } from '../events.ts'
import { blocksIn, openRepo, openRepoToRead } from '../repo/repo.ts'
import type { NodeContext } from '../context.ts'
import type { BlockLayout, BlockSetting, RepoCompression } from '../blocks/block-setting.ts'

/** A repo that was created, or was there. */
export interface InitializedRepo {
  path: string
  /** How blocks are compressed at rest, or `none`. Packs compress by themselves. */
  codec: string
  /** Undefined: they are in a store. */
  layout: BlockLayout | undefined
  /** The store that it shares, if it does. */
  store: string | undefined
  /** Whether it was there before. */
  exists: boolean
}

export interface InitRepoOptions {
  /** How to compress blocks at rest, which are files then. By default as before; a new repo does not. */
  compression?: RepoCompression | undefined
  /** Whether blocks are files, or in packs. By default as before. */
  layout?: BlockLayout | undefined
}

/**
 * Create a repo, and set how it stores blocks. No-op if the repo already stores them this way.
 *
 * @throws {RepoError} the repo stores blocks with another codec, in another layout, or in a store
 * @throws {UsageError} both packs and a codec are asked for
 */
export async function initRepo (
  context: NodeContext,
  { compression, layout = compression == null ? undefined : 'files' }: InitRepoOptions = {}
): Promise<InitializedRepo> {
  const { signal, repo: path } = context
  const reference = await readReference(path)

  if (layout === 'packs' && compression != null) {
    throw new UsageError('Packs compress blocks by themselves, so they take no codec', { problem: 'packs-compress' })
  }

  if (reference != null && layout != null) {
    throw new RepoError(
      `The repo ${path} keeps its blocks in the store ${reference.store}, in the same way for all nodes`,
      { problem: 'shared' }
    )
  }

  const exists = await isRepo(path, signal)

  if (exists) {
    checkSame(path, await readBlockSetting(path), { compression, layout })
  }

  const { path: made, shared, close } = await openRepo(path, { signal, layout })
  await close()

  if (!exists && compression != null) {
    await writeBlockSetting(made, { layout: 'files', compression })
  }

  warnOfGroup(context)
  const setting = await readBlockSetting(made) ?? { layout: 'files' }
  const { codec } = shared?.compression ?? setting.compression ?? { codec: 'none' }

  return { path: made, codec, layout: shared == null ? setting.layout : undefined, store: shared?.name, exists }
}

function checkSame (
  path: string,
  { layout: before, compression: codec }: BlockSetting = { layout: 'files' },
  { compression, layout }: InitRepoOptions
): void {
  if (layout != null && layout !== before) {
    throw new RepoError(
      `The repo ${path} already stores blocks ${before === 'packs' ? 'in packs' : 'as files'}`,
      { problem: 'other-layout' }
    )
  }

  if (compression != null && !isSameCompression(codec ?? { codec: 'none' }, compression)) {
    throw new RepoError(`The repo ${path} already stores blocks with ${describe(codec)}`, { problem: 'other-codec' })
  }
}

/** A repo that shares a store. */
export interface JoinedRepo {
  path: string
  /** Where the store is, without credentials. */
  store: string
  /** How the packs of the store are compressed. */
  codec: string
  /** Whether the store was created now. */
  isNew: boolean
  /** Whether the repo had joined the store before. */
  wasJoined: boolean
}

export interface InitStoreOptions {
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
  { cache }: InitStoreOptions = {}
): Promise<JoinedRepo> {
  const { signal, repo: path } = context
  const before = await readReference(path)

  if (before == null && await isRepo(path, signal)) {
    await checkIsEmpty(path, signal)
  }

  const { joinStore } = await import('@ipfsz/shared-store')
  const joined = await joinStore(store, { signal })
  const { reference, compression: { codec }, isNew } = joined

  // of two nodes that made the store at the same moment, the mark of one is there: the other one joins it now
  if (before != null && before.id !== reference.id && before.store !== reference.store) {
    throw new RepoError(
      `The repo ${path} already uses the store ${before.store}`,
      { problem: 'other-store' }
    )
  }

  // what adds meanwhile must not add to the repo's own directory
  await (before == null ? makeRepo(path, signal) : undefined)
  const release = await lockAndTell(path, 'gc', context)

  try {
    if (before == null) {
      await checkIsEmpty(path, signal)
    }

    await writeReference(path, { ...reference, cache: cache ?? before?.cache })
    // from now on nobody looks there
    await rmdir(blocksIn(path)).catch(() => {})
  } finally {
    await release()
  }

  await makeRepo(path, signal)
  warnOfGroup(context)

  return { path, store: reference.store, codec, isNew, wasJoined: before?.id === reference.id }
}

/** Not refused: the group may have this user alone. */
function warnOfGroup (context: NodeContext): void {
  const shared = findGroupWritable(context.repo)

  if (shared != null) {
    const message = `the group of ${shared} can rename what is in it, and so replace the repo ${context.repo}`
    emit(context, 'ipfsz:warning', { message, isMinor: false })
  }
}

async function makeRepo (path: string, signal: AbortSignal): Promise<void> {
  // it keeps no blocks itself
  await (await openRepo(path, { signal, layout: 'files' })).close()
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

  for await (const blocks of storage.blocks()) {
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

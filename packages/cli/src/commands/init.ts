import { lockRepo } from '@ipfsz/node/internal/repo/repo-lock'
import { RepoError } from '../errors.ts'
import { waitingFor } from '@ipfsz/node/internal/lock-file'
import { isSameCompression, readCompression, writeCompression } from '@ipfsz/node/internal/repo/repo-compression'
import { openRepo, openRepoToRead } from '@ipfsz/node/internal/repo/repo'
import { readReference, writeReference } from '@ipfsz/shared-store/internal/store-reference'
import type { Context } from '../context.ts'
import type { RepoCompression } from '@ipfsz/node/internal/repo/repo-compression'

/**
 * Create a repo, and set how it stores blocks. No-op if the repo already stores them this way.
 *
 * @throws {RepoError} the repo stores blocks with another codec, or in a store
 */
export async function init (compression: RepoCompression | undefined, context: Context): Promise<void> {
  const { output, signal, repo: path } = context
  const reference = await readReference(path)

  if (reference != null && compression != null) {
    throw new RepoError(
      `The repo ${path} keeps its blocks in the store ${reference.store}, which compresses them the same way for all ` +
        'nodes: omit --blockstore-codec'
    )
  }

  const exists = await isRepo(path, signal)
  const before = await readCompression(path)

  if (exists && compression != null && !isSameCompression(before ?? { codec: 'none' }, compression)) {
    throw new RepoError(
      `The repo ${path} already stores blocks with ${describe(before)}: to change that, run ipfsz blockstore convert`
    )
  }

  const { path: made, shared } = await openRepo(path, { signal })

  if (!exists && compression != null) {
    await writeCompression(made, compression)
  }

  const codec = (shared?.compression ?? compression ?? before)?.codec ?? 'none'
  const blocks = codec === 'none' ? 'blocks not compressed' : `blocks compressed with ${codec}`
  const where = shared == null ? '' : ` in the store ${shared.name}`

  output.sentence(
    { repo: made, codec, ...shared == null ? {} : { store: shared.name } },
    exists ? `The repo ${made} already exists, ${blocks}${where}` : `Created a repo in ${made}, ${blocks}${where}`
  )
}

/**
 * Create a repo that keeps blocks, pins, links and histories in a store that other nodes share. Creates the store in an
 * empty place, or joins an existing store.
 *
 * @param store - a directory, or a URL that begins with s3://
 * @param asked.cache - size of the local cache, in bytes. By default the earlier setting, if there is one
 * @throws {RepoError} the repo has blocks of its own, or uses another store
 * @throws {StoreError} the place contains something else than a store, or a store of a newer ipfsz
 */
export async function initStore (
  store: string,
  asked: { compression: RepoCompression | undefined, cache: number | undefined },
  { output, signal, repo: path }: Context
): Promise<void> {
  const before = await readReference(path)

  if (before == null && await isRepo(path, signal)) {
    await checkIsEmpty(path, signal)
  }

  const { joinStore } = await import('@ipfsz/shared-store/internal/shared-store')
  const { reference, compression: { codec }, isNew } = await joinStore(store, asked.compression, signal)

  // of two nodes that made the store at the same moment, the mark of one is there: the other one joins it now
  if (before != null && before.id !== reference.id && before.store !== reference.store) {
    throw new RepoError(
      `The repo ${path} already uses the store ${before.store}: use another repo with --repo, or delete store.json ` +
        'in the repo to leave that store'
    )
  }

  // what adds meanwhile must not add to the repo's own directory
  await (before == null ? openRepo(path, { signal }) : undefined)
  const release = await lockRepo(path, 'gc', signal, undefined, holder => { output.note(waitingFor(path, holder)) })

  try {
    if (before == null) {
      await checkIsEmpty(path, signal)
    }

    await writeReference(path, { ...reference, cache: asked.cache ?? before?.cache })
  } finally {
    await release()
  }

  await openRepo(path, { signal })

  const joined = isNew ? 'created and uses' : 'joined'
  const done = before?.id === reference.id ? 'already uses' : joined
  const blocks = codec === 'none' ? 'not compressed' : `compressed with ${codec}`

  output.sentence(
    { repo: path, store: reference.store, codec, made: isNew },
    `The repo ${path} ${done} the store ${reference.store}, blocks ${blocks}`
  )
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
    `The repo ${path} has ${what} of its own, which would be lost in a shared store: use a new repo with --repo`
  )
}

function describe (compression: RepoCompression | undefined): string {
  const { codec, level } = compression ?? { codec: 'none' }

  return level == null ? codec : `${codec} level ${level}`
}

import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { FileStorage } from '@ipfsz/shared-store/storage'
import { OwnStorage } from '../blocks/own-storage.ts'
import { openToRead, withRepo } from '../context.ts'
import { UsageError } from '../errors.ts'
import { checkPlace, isS3Url } from '@ipfsz/shared-store/places'
import { readReference } from '@ipfsz/shared-store/reference'
import { placeOf, refuseStore } from './places.ts'
import type { NodeContext, Session } from '../context.ts'
import type { Destination } from './contract.ts'
import type { CID } from 'multiformats/cid'

export interface DestinationOptions {
  /** Whether the work only looks. It then gets no destination if there is none yet. */
  dryRun: boolean
  /** Whether the work writes links. */
  links: boolean
}

/** What is made of a repo before its blocks. A migration that was killed then goes on. */
const FIRST: ReadonlySet<string> = new Set(['blockstore.json', 'locks', 'datastore'])

/**
 * Open a repo, or a bucket of S3. What does not exist yet becomes a repo.
 * Garbage collections wait until the work ends.
 *
 * @throws {UsageError} the path is something else
 */
export async function withDestination<T> (
  text: string,
  { dryRun, links }: DestinationOptions,
  context: NodeContext,
  work: (destination: Destination | undefined) => Promise<T>
): Promise<T> {
  checkPlace(text)

  if (isS3Url(text)) {
    const { withS3Destination } = await import('./s3.ts')

    return withS3Destination(text, context.signal, work)
  }

  const path = resolve(text)
  const isNew = await isNewRepo(path, text)
  const ofRepo = { ...context, repo: path }

  if (!dryRun) {
    return withRepo(ofRepo, { lock: 'add', links }, async session => work(await ofSession(session)))
  }

  if (isNew) {
    return work(undefined)
  }

  const session = await openToRead(ofRepo)

  return work(await ofSession(session)).finally(async () => session.links?.close())
}

/** Whether a block is there. An empty file is none: a power cut leaves such files for blocks that were not synced. */
export async function hasBlock ({ storage, blockstore }: Destination, cid: CID, signal: AbortSignal): Promise<boolean> {
  const has = await blockstore.has(cid, { signal })

  return has && (storage instanceof OwnStorage || storage instanceof FileStorage)
    ? await storage.sizeOf({ multihash: cid.multihash }) > 0
    : has
}

async function ofSession (session: Session): Promise<Destination> {
  const { storage, blockstore, shared } = session.repo

  return { place: await placeOf(storage, shared), storage, blockstore, reader: blockstore, session }
}

async function isNewRepo (path: string, text: string): Promise<boolean> {
  const names = await readdir(path).catch((err: NodeJS.ErrnoException): string[] => {
    if (err.code === 'ENOENT') {
      return []
    }

    throw err
  })

  if (names.every(name => FIRST.has(name))) {
    return true
  }

  if (names.includes('datastore_spec')) {
    throw new UsageError(`${text} is a Kubo repo, which only Kubo can write`, { problem: 'to-kubo' })
  }

  refuseStore(new Set(names), text)

  if (!names.includes('blocks') && await readReference(path) == null) {
    throw new UsageError(`${text} contains files that are not part of a repo: choose a repo or a new directory`)
  }

  return false
}

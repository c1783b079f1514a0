import { Originals } from '@ipfsz/core/originals'
import { duringStep } from '../events.ts'
import { hasOriginals, OriginalsStore } from './originals-store.ts'
import type { NodeProgressOptions } from '../events.ts'
import type { Repo } from './repo.ts'
import type { LinkRecords } from '@ipfsz/shared-store/records'
import type { CID } from 'multiformats/cid'

/** A repo, and its links. */
interface Linked {
  repo: Repo
  /** Undefined if it has none. */
  links: LinkRecords | undefined
}

/** Run work on the index of a repo's originals. Returns undefined if it has none. */
export async function withOriginals<T> (
  { repo, links }: Linked,
  work: (originals: Originals) => Promise<T>
): Promise<T | undefined> {
  if (links == null || !hasOriginals(repo.path)) {
    return undefined
  }

  const store = new OriginalsStore(repo.path, { writes: true })

  try {
    return await work(new Originals({ blockstore: repo.blockstore, links, datastore: store }))
  } finally {
    await store.close()
  }
}

/**
 * Index the originals of files and trees that were just added and linked, if the repo has an index: a daemon or gateway
 * that serves originals then has them. A kill leaves each original indexed or not.
 */
export async function indexLinked (
  cids: readonly CID[],
  linked: Linked,
  context: NodeProgressOptions & { signal: AbortSignal }
): Promise<void> {
  await withOriginals(linked, async originals => {
    for (const cid of cids) {
      try {
        await duringStep(context, { task: 'index', name: cid.toString(), unit: 'bytes' }, async progress =>
          originals.add(cid, {
            signal: context.signal,
            onProgress (event) { progress.add(event.detail.size) }
          }))
      } catch (err) {
        // a tree in which nothing is compressed has no links
        if (!(err instanceof Error) || err.name !== 'UnlinkedFileError') {
          throw err
        }
      }
    }
  })
}

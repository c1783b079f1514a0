import { Originals } from '@ipfsz/core/originals'
import { openToRead } from '../context.ts'
import { duringStep } from '../events.ts'
import { cidsAt, withTargets } from '../read/read-target.ts'
import { OriginalIndexer } from '../repo/original-indexer.ts'
import { hasOriginals, OriginalsStore } from '../repo/originals-store.ts'
import type { NodeContext } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { Original } from '@ipfsz/core/originals'
import type { CID } from 'multiformats/cid'

export interface IndexOriginalsOptions {
  /**
   * Layouts that each file gets an original of, besides those that it is linked to.
   *
   * @default none
   */
  layouts?: readonly string[] | undefined
  /** Called for each original that was not indexed before. */
  onIndexed?: ((original: Original) => void) | undefined
  /** Called with what kept one of several files or trees from being indexed. The others are. */
  onFailed?: ((error: Error) => void) | undefined
}

/**
 * Index the originals of marked CIDs, so that daemons and gateways can serve them.
 *
 * @param targets - CIDs, names or names of pins, and paths below them. By default all linked files and pinned trees
 * @returns how many files were not indexed
 * @throws {UnlinkedFileError} what is the only target is not linked
 */
export async function indexOriginals (
  context: NodeContext,
  targets: ReadonlyArray<string | CidPath> = [],
  { layouts = [], onIndexed, onFailed }: IndexOriginalsOptions = {}
): Promise<number> {
  const { signal } = context
  const { repo, files } = await openToRead(context)
  const named = await withTargets(context, targets, async targets => cidsAt(targets, files, signal))
  const store = new OriginalsStore(repo.path, { writes: true })
  const indexer = new OriginalIndexer({ repo, store, layouts, signal })
  let failed = 0

  const fail = (err: unknown): void => {
    if (signal.aborted || named.length === 1 || !(err instanceof Error)) {
      throw err
    }

    // a tree without links has no original
    if (named.length > 0 || err.name !== 'UnlinkedFileError') {
      onFailed?.(err)
      failed++
    }
  }

  try {
    for await (const cid of named.length > 0 ? named : indexer.candidates(fail)) {
      for (const original of await index(cid, indexer, context).catch(fail) ?? []) {
        onIndexed?.(original)
      }
    }
  } finally {
    await indexer.close()
    await store.close()
  }

  return failed
}

async function index (cid: CID, indexer: OriginalIndexer, context: NodeContext): Promise<Original[]> {
  return duringStep(context, { task: 'index', name: cid.toString(), unit: 'bytes' }, async progress =>
    indexer.add(cid, { onProgress (event) { progress.add(event.detail.size) } }))
}

/** The originals that are indexed, in no particular order. */
export async function * listOriginals (context: Pick<NodeContext, 'repo' | 'signal'>): AsyncGenerator<Original> {
  const { repo, links } = await openToRead(context)

  if (!hasOriginals(repo.path) || links == null) {
    return
  }

  const store = new OriginalsStore(repo.path, { writes: false })

  try {
    yield * new Originals({ blockstore: repo.blockstore, links, datastore: store }).list({ signal: context.signal })
  } finally {
    await store.close()
  }
}

import { Originals } from '@ipfsz/core/originals'
import { openToRead } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { hasOriginals, OriginalsStore } from '@ipfsz/node/internal/repo/originals-store'
import { OriginalIndexer } from '@ipfsz/node/internal/repo/original-indexer'
import { count } from '../terminal/units.ts'
import { cidsAt, withTargets } from './read-target.ts'
import type { Context } from '../context.ts'
import type { Original } from '@ipfsz/core/originals'
import type { CID } from 'multiformats/cid'

export interface IndexCommandOptions {
  /** Layouts that each file gets an original of, besides those that it is linked to. */
  layout?: string[]
}

/** Index the originals of marked CIDs, so that they are served: by default of all linked files and pinned trees. */
export async function indexOriginals (
  texts: string[],
  { layout: layouts = [] }: IndexCommandOptions,
  context: Context
): Promise<void> {
  const { output, signal } = context
  const { repo, files } = await openToRead(context)
  const named = await withTargets(texts, context, async targets => cidsAt(targets, files, signal))
  const store = new OriginalsStore(repo.path, { writes: true })
  const indexer = new OriginalIndexer({ repo, store, layouts, signal })
  let failed = 0

  const fail = (err: unknown): void => {
    if (signal.aborted || named.length === 1 || !(err instanceof Error)) {
      throw err
    }

    // a tree without links has no original
    if (named.length > 0 || err.name !== 'UnlinkedFileError') {
      output.error(explain(err), err)
      failed++
    }
  }

  try {
    for await (const cid of named.length > 0 ? named : indexer.candidates(fail)) {
      for (const original of await index(cid, indexer, context).catch(fail) ?? []) {
        print(original, context)
      }
    }
  } finally {
    await indexer.close()
    await store.close()
  }

  if (failed > 0) {
    throw new IncompleteError(`The originals of ${count(failed, 'file')} were not indexed: see the errors above`)
  }
}

async function index (cid: CID, indexer: OriginalIndexer, { output }: Context): Promise<Original[]> {
  const progress = output.progress(cid.toString())
  let done = 0

  return indexer.add(cid, { onProgress (event) { progress.update(done += event.detail.size) } })
    .finally(() => progress.end())
}

/** List the originals that are indexed: CID, marked CID, layout. */
export async function listOriginals (context: Context): Promise<void> {
  const { repo, links } = await openToRead(context)
  let count = 0

  if (hasOriginals(repo.path) && links != null) {
    const store = new OriginalsStore(repo.path, { writes: false })
    const originals = new Originals({ blockstore: repo.blockstore, links, datastore: store })

    try {
      for await (const original of originals.list({ signal: context.signal })) {
        print(original, context)
        count++
      }
    } finally {
      await store.close()
    }
  }

  if (count === 0) {
    context.output.note('no originals are indexed: to index those of linked files, run ipfsz originals index')
  }
}

function print ({ original, compressed, type, layout }: Original, { output }: Context): void {
  output.row(
    { original: original.toString(), compressed: compressed.toString(), type, layout },
    [original.toString(), compressed.toString(), layout ?? type]
  )
}

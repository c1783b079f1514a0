import { isMarked } from '@ipfsz/core'
import { openToRead, withRepo } from '../context.ts'
import { NotLinkedError, UsageError } from '../errors.ts'
import { withOriginals } from '@ipfsz/node/internal/repo/with-originals'
import { cidsAt, withTargets } from './read-target.ts'
import type { Context, Session } from '../context.ts'
import type { Link } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface AddLinkCommandOptions {
  /** Link without reading the file, and so without checking that its bytes have that CID. */
  unchecked?: boolean
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

/**
 * Link the CID of an uncompressed file to the compressed file with the same bytes.
 *
 * @param original - a CID or a name, and a path below it, as `compressed`
 * @throws {UsageError} the first is marked, or the second is not
 */
export async function addLink (
  original: string,
  compressed: string,
  { unchecked = false, maxWindow: maxWindowSize }: AddLinkCommandOptions,
  context: Context
): Promise<void> {
  const { signal } = context

  await withTargets([original, compressed], context, async targets => {
    if (targets.every(({ path }) => path === '')) {
      checkOrder(targets.map(({ cid }) => cid), [original, compressed])
    }

    // locked, because garbage collection deletes links
    await withRepo(context, { lock: 'add', links: true, existing: true }, async ({ files }) => {
      const cids = await cidsAt(targets, files, signal)
      checkOrder(cids, [original, compressed])

      const [originalCid, compressedCid] = cids
      const progress = context.output.progress(compressed)
      let done = 0

      await files.links.add(originalCid, compressedCid, {
        unchecked,
        maxWindowSize,
        signal,
        onProgress (event) { progress.update(done += event.detail.size) }
      }).finally(() => progress.end())
      print({ original: originalCid, compressed: compressedCid, checked: !unchecked }, context)
    })
  })
}

/** @throws {UsageError} the first CID is marked, or the second is not */
function checkOrder ([original, compressed]: readonly CID[], texts: readonly [string, string]): void {
  if (isMarked(original) || !isMarked(compressed)) {
    throw new UsageError(
      `Cannot link ${texts.join(' to ')}: pass a plain CID, then a marked one: ipfsz link add ORIGINAL MARKED`
    )
  }
}

/** Delete the links of what CIDs, names and paths lead to, original or marked. */
export async function removeLinks (texts: string[], context: Context): Promise<void> {
  const { output, signal } = context

  await withTargets(texts, context, async targets =>
    withRepo(context, { lock: 'add', links: true, existing: true, removes: true }, async session => {
      for (const cid of await cidsAt(targets, session.files, signal)) {
        if (!await unlink(cid, session, signal)) {
          throw new NotLinkedError(cid)
        }

        output.row({ cid: cid.toString() }, [cid.toString(), 'no longer linked'])
      }
    }))
}

/**
 * Delete the links of a CID, and end the originals that they kept. A plain CID may be an original, or the twin of a
 * marked CID. The original of a tree has no link, and ends alone.
 *
 * @returns whether there was any
 */
export async function unlink (cid: CID, { files, repo, links }: Session, signal: AbortSignal): Promise<boolean> {
  if (!await repo.links.exist()) {
    return false
  }

  const other = await files.links.get(cid, { signal })

  if (other != null) {
    await files.links.delete(cid, { signal })
  }

  const ended = await withOriginals({ repo, links }, async originals => {
    if (other == null) {
      return originals.delete(cid)
    }

    return await originals.deleteUnlinked(cid) + await originals.deleteUnlinked(other)
  }) ?? 0

  return other != null || ended > 0
}

/** List links: the original CID, and the marked one. */
export async function listLinks (context: Context): Promise<void> {
  const { repo, files } = await openToRead(context)

  if (await repo.links.exist()) {
    for await (const link of files.links.list({ signal: context.signal })) {
      print(link, context)
    }
  }
}

function print ({ original, compressed, checked }: Link, { output }: Context): void {
  output.row(
    { original: original.toString(), compressed: compressed.toString(), checked },
    [original.toString(), compressed.toString(), ...checked === false ? ['unchecked'] : []]
  )
}

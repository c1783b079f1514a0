import { isMarked } from '@ipfsz/core'
import { openToRead, withRepo } from '../context.ts'
import { NotLinkedError, UsageError } from '../errors.ts'
import { hasLinks } from '../repo/link-store.ts'
import { parseCid } from '../terminal/cid-path.ts'
import type { Context } from '../context.ts'
import type { Link } from '@ipfsz/core'

export interface AddLinkCommandOptions {
  /** Link without reading the file, and so without checking that its bytes have that CID. */
  unchecked?: boolean
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

/** Link the CID of an uncompressed file to the compressed file with the same bytes. */
export async function addLink (
  original: string,
  compressed: string,
  { unchecked = false, maxWindow: maxWindowSize }: AddLinkCommandOptions,
  context: Context
): Promise<void> {
  const [originalCid, compressedCid] = [original, compressed].map(parseCid)

  if (isMarked(originalCid) || !isMarked(compressedCid)) {
    throw new UsageError(
      `Cannot link ${original} to ${compressed}: ` +
        'name a plain CID, then a marked one, as in ipfsz link add ORIGINAL MARKED'
    )
  }

  // locked, because garbage collection deletes links
  await withRepo(context, { lock: 'add', links: true, existing: true }, async ({ files }) => {
    const progress = context.output.progress(compressed)
    let done = 0

    await files.links.add(originalCid, compressedCid, {
      unchecked,
      maxWindowSize,
      signal: context.signal,
      onProgress (event) { progress.update(done += event.detail.size) }
    }).finally(() => progress.end())
    print({ original: originalCid, compressed: compressedCid, checked: !unchecked }, context)
  })
}

/** Delete the links of CIDs, original or marked. */
export async function removeLinks (texts: string[], context: Context): Promise<void> {
  const { output, signal } = context
  const cids = texts.map(parseCid)

  await withRepo(context, { lock: 'add', links: true, existing: true }, async ({ files, repo }) => {
    for (const cid of cids) {
      const other = await hasLinks(repo.path) ? await files.links.get(cid, { signal }) : undefined

      if (other == null) {
        throw new NotLinkedError(cid)
      }

      await files.links.delete(cid, { signal })
      output.result({ cid: cid.toString() }, `${cid}\tno longer linked`)
    }
  })
}

/** List links: the original CID, and the marked one. */
export async function listLinks (context: Context): Promise<void> {
  const { repo, files } = await openToRead(context)

  if (await hasLinks(repo.path)) {
    for await (const link of files.links.list({ signal: context.signal })) {
      print(link, context)
    }
  }
}

function print ({ original, compressed, checked }: Link, { output }: Context): void {
  output.result(
    { original: original.toString(), compressed: compressed.toString(), checked },
    `${original}\t${compressed}${checked === false ? '\tunchecked' : ''}`
  )
}

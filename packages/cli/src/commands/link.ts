import { isMarked } from '@ipfsz/core'
import { openToRead, parseCid, withRepo } from '../context.ts'
import { NotLinkedError, UsageError } from '../errors.ts'
import { hasLinks } from '../link-store.ts'
import type { Context } from '../context.ts'

/** Link the CID that bytes have uncompressed to the compressed file that has them. */
export async function addLink (original: string, compressed: string, context: Context): Promise<void> {
  const [originalCid, compressedCid] = [original, compressed].map(parseCid)

  if (isMarked(originalCid) || !isMarked(compressedCid)) {
    throw new UsageError('A link goes from the CID of uncompressed bytes to a marked CID: ipfsz link add ORIGINAL MARKED')
  }

  // a collection deletes links
  await withRepo(context, { lock: 'add', links: true, existing: true }, async ({ files }) => {
    await files.links.add(originalCid, compressedCid, { signal: context.signal })
    print(originalCid.toString(), compressedCid.toString(), context)
  })
}

/** Delete what links CIDs, whichever side they are. */
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

/** List what is linked: the original CID, and the marked one. */
export async function listLinks (context: Context): Promise<void> {
  const { repo, files } = await openToRead(context)

  if (await hasLinks(repo.path)) {
    for await (const { original, compressed } of files.links.list({ signal: context.signal })) {
      print(original.toString(), compressed.toString(), context)
    }
  }
}

function print (original: string, compressed: string, { output }: Context): void {
  output.result({ original, compressed }, `${original}\t${compressed}`)
}

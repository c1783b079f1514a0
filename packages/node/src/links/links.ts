import { isMarked, unmark } from '@ipfsz/core'
import { openToRead, withRepo } from '../context.ts'
import { NotLinkedError, NotPinnedError, UsageError } from '../errors.ts'
import { duringStep } from '../events.ts'
import { cidsAt, withTargets } from '../read/read-target.ts'
import { withOriginals } from '../repo/with-originals.ts'
import type { NodeContext, Session } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { Link } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** A CID, a name or the name of a pin, and a path below it. */
type LinkTarget = string | CidPath

export interface AddLinkOptions {
  /**
   * Link without reading the file, and so without checking that its bytes have that CID.
   *
   * @default false
   */
  unchecked?: boolean | undefined
  /** The largest window of a stream that another tool compressed, in bytes. By default that of `@ipfsz/core`. */
  maxWindowSize?: number | undefined
}

/**
 * Link the CID of an uncompressed file to the compressed file with the same bytes, so that it is read by both.
 *
 * @throws {UsageError} the first is marked, or the second is not
 * @throws {LinkMismatchError} the file has other bytes
 */
export async function addLink (
  context: NodeContext,
  original: LinkTarget,
  compressed: LinkTarget,
  { unchecked = false, maxWindowSize }: AddLinkOptions = {}
): Promise<Link> {
  const { signal } = context

  return withTargets(context, [original, compressed], async targets => {
    if (targets.every(({ path }) => path === '')) {
      checkOrder(targets.map(({ cid }) => cid), targets)
    }

    // locked, because garbage collection deletes links
    return withRepo(context, { lock: 'add', links: true, existing: true }, async ({ files }) => {
      const cids = await cidsAt(targets, files, signal)
      checkOrder(cids, targets)

      const [originalCid, compressedCid] = cids

      await duringStep(context, { task: 'verify', name: targets[1].text, unit: 'bytes' }, async progress =>
        files.links.add(originalCid, compressedCid, {
          unchecked,
          maxWindowSize,
          signal,
          onProgress (event) { progress.add(event.detail.size) }
        }))

      return { original: originalCid, compressed: compressedCid, checked: !unchecked }
    })
  })
}

function checkOrder ([original, compressed]: readonly CID[], targets: readonly CidPath[]): void {
  if (isMarked(original) || !isMarked(compressed)) {
    throw new UsageError(
      `Cannot link ${targets.map(({ text }) => text).join(' to ')}: pass a plain CID, then a marked one`
    )
  }
}

export interface RemoveLinksOptions {
  /** Called for each target whose links are gone. */
  onUnlink?: ((cid: CID) => void) | undefined
}

/**
 * Delete the links of what CIDs, names and paths lead to, original or marked.
 *
 * @throws {NotLinkedError} one has none. Those before it are deleted
 */
export async function removeLinks (
  context: NodeContext,
  targets: readonly LinkTarget[],
  { onUnlink }: RemoveLinksOptions = {}
): Promise<void> {
  const { signal } = context

  await withTargets(context, targets, async found =>
    withRepo(context, { lock: 'add', links: true, existing: true, removes: true }, async session => {
      for (const cid of await cidsAt(found, session.files, signal)) {
        if (!await unlink(cid, session, signal)) {
          throw new NotLinkedError(cid)
        }

        onUnlink?.(cid)
      }
    }))
}

export async function * listLinks (context: NodeContext): AsyncGenerator<Link> {
  const { repo, files } = await openToRead(context)

  if (await repo.links.exist()) {
    yield * files.links.list({ signal: context.signal })
  }
}

export interface Removed {
  cid: CID
  unpinned: boolean
  unlinked: boolean
}

export interface RemoveContentOptions {
  /** Called for each target. */
  onRemove?: ((removed: Removed) => void) | undefined
}

/**
 * Unpin what CIDs, names and paths lead to, and delete its links. The next collection deletes the blocks that no pin
 * needs.
 *
 * @throws {NotPinnedError} one is neither pinned nor linked, nor in the repo. Those before it are removed
 */
export async function removeContent (
  context: NodeContext,
  targets: readonly LinkTarget[],
  { onRemove }: RemoveContentOptions = {}
): Promise<void> {
  await withTargets(context, targets, async found =>
    // locked, because garbage collection prunes links
    withRepo(context, { lock: 'add', links: true, existing: true, removes: true }, async session => {
      for (const cid of await cidsAt(found, session.files, context.signal)) {
        const unlinked = await unlink(cid, session, context.signal)
        const unpinned = await unpin(cid, session)

        if (!unpinned && !unlinked && !await session.repo.blockstore.has(unmark(cid))) {
          throw new NotPinnedError(cid)
        }

        onRemove?.({ cid, unpinned, unlinked })
      }
    }))
}

async function unpin (cid: CID, { pins }: Session): Promise<boolean> {
  const pinned = await pins.has(cid)

  if (pinned) {
    await pins.rm(cid)
  }

  return pinned
}

/**
 * Delete the links of a CID, and end the originals that they kept. A plain CID may be an original, or the twin of a
 * marked CID. The original of a tree has no link, and ends alone.
 *
 * @returns whether there was any
 */
async function unlink (cid: CID, { files, repo, links }: Session, signal: AbortSignal): Promise<boolean> {
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

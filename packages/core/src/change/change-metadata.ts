// Room: `chmod`, `touch`, `cp`, `mkdir` and `rm` inside of a DAG.
import * as dagPb from '@ipld/dag-pb'
import { DEFAULT_BLOCK_READ_CONCURRENCY } from '../constants.ts'
import { coalescingBlockstore, getBlock } from '../dag/block.ts'
import { checkDirectory } from '../directory/directory.ts'
import { decodeNode } from '../dag/node.ts'
import { rewriteRoot, writeRewritten } from '../directory/rewrite.ts'
import { prefixLength } from '../directory/shard-place.ts'
import { isSharded } from '../directory/shards.ts'
import { markerOf, openRoot, startOf } from '../read/entry.ts'
import { linkInto } from './helia-unixfs.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { isMarked, mark } from '../marker.ts'
import { followPath } from '../read/path.ts'
import type { EntryOptions } from '../read/entry.ts'
import type { Metadata } from '../dag/file-block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Rewritten, WrittenNode } from '../directory/rewrite.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { PBLink } from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'

type Rewrite = (cid: CID, block: Uint8Array) => Rewritten

interface ChangeOptions extends EntryOptions {
  recursive?: boolean
}

/**
 * Change the mode or mtime of what a CID and a path lead to, and with `recursive` of
 * everything below it. Then rewrite the directories above it.
 *
 * @returns the new CID of the path's start, with the same marker as `cid`
 */
export async function changeMetadata (
  cid: CID,
  metadata: Metadata,
  settings: ReadSettings,
  options: ChangeOptions
): Promise<CID> {
  const { path, recursive, ...rest } = options
  options.signal?.throwIfAborted()

  const segments = await followPath(startOf(cid, path), path, { ...settings, roots: undefined }, rest)
  const entry = segments[segments.length - 1].cid

  if (isMarked(cid)) {
    // fails on a damaged block or a wrong marker, so that neither is rewritten
    await openRoot(entry, markerOf(cid, segments.length), settings, rest)
  }

  const rewrite: Rewrite = (root, block) => rewriteRoot(root, block, metadata)
  let changed = recursive === true
    ? await changeTree(entry, rewrite, settings, rest)
    : await changeRoot(entry, rewrite, settings, rest)

  for (let i = segments.length - 1; i > 0; i--) {
    const parent = segments[i - 1].cid
    changed = await linkInto(changed, parent, segments[i].name, settings, { ...rest as object, force: true })
  }

  return isMarked(cid) ? mark(changed, cid.code) : changed
}

async function changeRoot (
  root: CID,
  rewrite: Rewrite,
  { blockstore }: ReadSettings,
  options: EntryOptions
): Promise<CID> {
  const block = await getBlock(root, blockstore, options)

  return (await writeRewritten(rewrite(root, block), root.version, blockstore, options)).cid
}

/** A directory or shard whose children are being changed. */
interface OpenDirectory {
  key: string
  node: FileNode
  /** Its new UnixFS message. A shard below its directory's root keeps its own. */
  data: Uint8Array
  links: PBLink[]
  /** The indexes of the links to directories and shards that are not changed yet. */
  left: number[]
}

/**
 * Change a root and everything below it. Directories keep their shape and files their
 * headers: only metadata and links change. Uses its own stack, because a tree may be deeper
 * than the engine's. A node that is linked again is changed once.
 */
async function changeTree (
  root: CID,
  rewrite: Rewrite,
  { blockstore }: ReadSettings,
  options: EntryOptions
): Promise<CID> {
  const done = new Map<string, WrittenNode>()
  const store = coalescingBlockstore(blockstore)
  const stack: OpenDirectory[] = []

  /** Change a file. For a directory, return undefined, and put it on the stack if `enter` is set. */
  const visit = async (cid: CID, isShard: boolean, enter: boolean): Promise<WrittenNode | undefined> => {
    const key = `${isShard ? 'shard' : 'entry'} ${cid}`
    const known = done.get(key)

    if (known != null) {
      return known
    }

    const block = await getBlock(cid, blockstore, options)
    const node = cid.code === dagPb.code ? decodeNode(cid, block) : undefined

    if (node?.unixfs.isDirectory() !== true) {
      const written = await writeRewritten(rewrite(cid, block), cid.version, store, options)
      done.set(key, written)

      return written
    }

    if (enter) {
      checkDirectory(node)
      const rewritten: Rewritten = isShard ? node : rewrite(cid, block)
      const directory: OpenDirectory = { key, node, data: rewritten.data, links: [...rewritten.links], left: [] }
      await visitFiles(directory, visit, options)
      stack.push(directory)
    }

    return undefined
  }

  const file = await visit(root, false, true)

  if (file != null) {
    return file.cid
  }

  for (;;) {
    const directory = stack[stack.length - 1]
    const index = directory.left[directory.left.length - 1]

    if (index == null) {
      const { node, data, links, key } = directory
      const written = await writeRewritten({ data, links }, node.cid.version, blockstore, options)
      done.set(key, written)
      stack.pop()

      if (stack.length === 0) {
        return written.cid
      }

      continue
    }

    const link = directory.links[index]
    const written = await visit(link.Hash, isShardLink(directory.node, link), true)

    if (written != null) {
      directory.links[index] = relink(link, written)
      directory.left.pop()
    }
  }
}

/** Change the files among the children, several at a time, and record the links to directories. */
async function visitFiles (
  directory: OpenDirectory,
  visit: (cid: CID, isShard: boolean, enter: boolean) => Promise<WrittenNode | undefined>,
  { signal }: EntryOptions
): Promise<void> {
  const changed = mapOrdered(directory.links.entries(), async ([index, link]) => ({
    index,
    link,
    written: await visit(link.Hash, isShardLink(directory.node, link), false)
  }), { concurrency: DEFAULT_BLOCK_READ_CONCURRENCY, signal })

  for await (const { index, link, written } of changed) {
    if (written == null) {
      directory.left.push(index)
    } else {
      directory.links[index] = relink(link, written)
    }
  }
}

function isShardLink (node: FileNode, link: PBLink): boolean {
  return isSharded(node) && link.Name?.length === prefixLength(node)
}

function relink (link: PBLink, { cid, dagSize }: WrittenNode): PBLink {
  return { ...link, Hash: cid, Tsize: dagSize }
}

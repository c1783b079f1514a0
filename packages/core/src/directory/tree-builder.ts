import * as dagPb from '@ipld/dag-pb'
import { dataFieldSerializedSize, linkSerializedSize, utf8ByteLength } from 'ipfs-unixfs-importer/utils'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { DEFAULT_SHARD_SPLIT_THRESHOLD, MAX_LEAF_SIZE } from '../constants.ts'
import { cidKey, keyToCid } from '../dag/cid-key.ts'
import { splitPath } from './entry-name.ts'
import { marshal } from '../dag/marshal.ts'
import { InvalidParametersError } from '../errors.ts'
import { writeSharded } from './write-sharded.ts'
import type { PutStore } from '../dag/block.ts'
import type { ImporterOptions, ImportResult } from 'ipfs-unixfs-importer'

type TreeBuilder = NonNullable<ImporterOptions['treeBuilder']>
type Imported = Parameters<TreeBuilder>[0] extends AsyncIterable<infer T> ? T : never

type DirectoryOptions = 'wrapWithDirectory' | 'shardSplitThresholdBytes' | 'shardSplitStrategy' | 'shardFanoutBits'
type EncodingOptions = 'cidVersion' | 'fieldOrder' | 'onProgress'

interface TreeBuilderOptions extends Pick<ImporterOptions, DirectoryOptions | EncodingOptions> {
  /** Called with each written directory and the CIDs of its entries. */
  onDirectory (cid: CID, children: CID[]): void
  /** Whether a directory is complete when an entry outside of it comes: see `AddAllOptions`. */
  depthFirst?: boolean | undefined
}

/** A directory that is being built. */
interface Directory {
  path: string
  /** The metadata that it was added with, if it was added itself. */
  unixfs?: UnixFS | undefined
  children: Map<string, Child>
}

/** All that is kept of a file until its directory is written, since there may be millions. */
interface Leaf {
  /** See `cidKey`: a CID takes ten times as much memory. */
  key: string
  size: Imported['size']
}

/** A directory that is written. */
interface Done extends Leaf {
  isDirectory: true
}

type Child = Directory | Imported | Leaf | Done

/**
 * Replaces the tree builder of ipfs-unixfs-importer. It makes the same directories, without
 * three bugs of the original. That one loses entries: when a directory becomes sharded, its
 * subdirectories keep a reference to the unsharded one, which replaces the sharded one when
 * they grow. It flushes recursively, which overflows the stack in a deep tree, and reports
 * wrong paths below a sharded directory. And it writes a directory that is full of
 * directories as a single block of any length (`flatLength`).
 */
export function treeBuilder (options: TreeBuilderOptions): TreeBuilder {
  return async function * build (source, blockstore): AsyncGenerator<ImportResult> {
    const root: Directory = { path: '', children: new Map() }
    let first: string | undefined
    let singleRoot = false
    /** Of the last entry, if directories are written as soon as they are complete. */
    let open: string[] = []

    for await (const entry of source) {
      if (options.depthFirst === true) {
        const names = splitPath(entry.path ?? '')
        yield * flushComplete(root, open, names, blockstore, options)
        open = names
      }

      const [top] = `${entry.originalPath ?? ''}`.split('/')

      // as in the importer: if all paths begin with the same directory, it is the wrapper
      if (top !== '') {
        singleRoot = first == null || (singleRoot && first === top)
        first ??= top
      }

      put(root, entry)

      if (entry.unixfs?.isDirectory() !== true) {
        yield entry
      }
    }

    if (options.wrapWithDirectory === true || (singleRoot && root.children.size > 1)) {
      yield * flush(root, blockstore, options)
      return
    }

    for (const child of root.children.values()) {
      if ('children' in child) {
        yield * flush(child, blockstore, options)
      } else if ('unixfs' in child && child.unixfs?.isDirectory() === true) {
        await putEmpty(child, blockstore)
        yield child
      }
    }
  }
}

/** Store a directory that stayed as it was imported, empty. */
async function putEmpty (entry: Imported, blockstore: PutStore): Promise<void> {
  if ('block' in entry) {
    await blockstore.put(entry.cid, entry.block)
  }
}

/**
 * Write the directories above the last entry that are not above the next one. The topmost one is left to the end, which
 * looks whether it is the only one.
 */
async function * flushComplete (
  root: Directory,
  last: readonly string[],
  next: readonly string[],
  blockstore: PutStore,
  options: TreeBuilderOptions
): AsyncGenerator<ImportResult> {
  const shared = last.findIndex((name, i) => name !== next[i])
  const depth = Math.max(1, shared === -1 ? last.length : shared)
  let parent = root

  for (const name of last.slice(0, depth)) {
    const child = parent.children.get(name)

    if (child == null || !('children' in child)) {
      return
    }

    parent = child
  }

  const name = last[depth]
  const complete = name == null ? undefined : parent.children.get(name)

  if (complete != null && 'children' in complete) {
    let written: ImportResult | undefined

    for await (const result of flush(complete, blockstore, options)) {
      written = result
      yield result
    }

    if (written != null) {
      parent.children.set(name, { ...toLeaf(written), isDirectory: true })
    }
  }
}

function put (root: Directory, entry: Imported): void {
  const names = splitPath(entry.path ?? '')
  let parent = root
  let path = ''

  for (const [i, name] of names.entries()) {
    path += `${path === '' ? '' : '/'}${name}`
    const child = parent.children.get(name)

    if (i === names.length - 1) {
      parent.children.set(name, entry.unixfs?.isDirectory() === true ? entry : toLeaf(entry))
    } else if (child != null && 'children' in child) {
      parent = child
    } else {
      const unixfs = child != null && 'unixfs' in child ? child.unixfs : undefined
      const directory: Directory = { path, unixfs, children: new Map() }
      parent.children.set(name, directory)
      parent = directory
    }
  }
}

function toLeaf ({ cid, size }: Pick<Imported, 'cid' | 'size'>): Leaf {
  return { key: cidKey(cid), size }
}

/** Write a directory and everything in it, children first. Uses its own stack. */
async function * flush (
  root: Directory,
  blockstore: PutStore,
  options: TreeBuilderOptions
): AsyncGenerator<ImportResult> {
  const stack = [enter(root)]

  for (;;) {
    const { directory, left, written } = stack[stack.length - 1]
    const next = left.next()

    if (next.done !== true) {
      const [name, child] = next.value

      if ('children' in child) {
        stack.push(enter(child))
      } else {
        if (!('key' in child)) {
          await putEmpty(child, blockstore)
        }

        written.set(name, 'key' in child ? { cid: keyToCid(child.key), size: child.size } : child)
      }

      continue
    }

    const result = await write(directory, written, blockstore, options)
    yield result
    stack.pop()

    if (stack.length === 0) {
      return
    }

    // its own name: the last segment of its path
    stack[stack.length - 1].written.set(splitPath(directory.path).at(-1) ?? '', result)
  }
}

interface OpenDirectory {
  directory: Directory
  left: Iterator<[string, Child]>
  /** By name, in order. */
  written: Map<string, Pick<ImportResult, 'cid' | 'size'>>
}

function enter (directory: Directory): OpenDirectory {
  return { directory, left: directory.children.entries(), written: new Map() }
}

async function write (
  directory: Directory,
  children: OpenDirectory['written'],
  blockstore: PutStore,
  options: TreeBuilderOptions
): Promise<ImportResult> {
  const written = isLarge(directory, options) || flatLength(children) > MAX_LEAF_SIZE
    ? await writeSharded(directory, children, blockstore, options)
    : await writeFlat(directory, children, blockstore, options)

  options.onDirectory(written.cid, Array.from(children.values(), child => child.cid))

  return { ...written, path: directory.path }
}

/** Whether the importer would shard the directory. Like the importer, it does not count subdirectories. */
function isLarge (
  { unixfs, children }: Directory,
  { shardSplitStrategy = 'links-bytes', shardSplitThresholdBytes = DEFAULT_SHARD_SPLIT_THRESHOLD }: TreeBuilderOptions
): boolean {
  if (shardSplitStrategy !== 'links-bytes' && shardSplitStrategy !== 'block-bytes') {
    throw new InvalidParametersError(
      `shardSplitStrategy must be links-bytes or block-bytes, not ${String(shardSplitStrategy)}`
    )
  }

  let size = shardSplitStrategy === 'links-bytes' ? 0 : dataFieldSerializedSize(unixfs?.mode, unixfs?.mtime)

  for (const [name, child] of children) {
    if ('children' in child || 'isDirectory' in child) {
      continue
    }

    const cidLength = 'key' in child ? child.key.length : child.cid.byteLength

    size += shardSplitStrategy === 'links-bytes'
      ? utf8ByteLength(name) + cidLength
      : linkSerializedSize(utf8ByteLength(name), cidLength, Number(child.size))
  }

  return size > shardSplitThresholdBytes
}

/**
 * Bytes of an unsharded directory's block, without its own metadata. The importer would write
 * such a block at any length if the directory is full of directories. Other nodes refuse
 * large ones.
 */
function flatLength (children: OpenDirectory['written']): number {
  let length = 0

  for (const [name, { cid, size }] of children) {
    length += linkSerializedSize(utf8ByteLength(name), cid.byteLength, Number(size))
  }

  return length
}

async function writeFlat (
  { unixfs: metadata }: Directory,
  children: OpenDirectory['written'],
  blockstore: PutStore,
  options: TreeBuilderOptions
): Promise<ImportResult> {
  const unixfs = new UnixFS({ type: 'directory', mtime: metadata?.mtime, mode: metadata?.mode })
  const Links = Array.from(children, ([Name, { cid: Hash, size }]) => ({ Name, Hash, Tsize: Number(size) }))
  const block = dagPb.encode(dagPb.prepare({ Data: marshal(unixfs), Links }), options)
  const cid = CID.create(options.cidVersion ?? 1, dagPb.code, await sha256.digest(block))

  await blockstore.put(cid, block, options as Parameters<PutStore['put']>[2])

  return { cid, unixfs, size: BigInt(Links.reduce((size, link) => size + link.Tsize, block.byteLength)) }
}

import * as dagPb from '@ipld/dag-pb'
import { dataFieldSerializedSize, DirSharded, linkSerializedSize, utf8ByteLength } from 'ipfs-unixfs-importer/utils'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { DEFAULT_SHARD_SPLIT_THRESHOLD, MAX_LEAF_SIZE } from '../constants.ts'
import { splitPath } from './entry-name.ts'
import { marshal } from '../dag/marshal.ts'
import { InvalidParametersError } from '../errors.ts'
import type { PutStore } from '../dag/block.ts'
import type { ImporterOptions, ImportResult } from 'ipfs-unixfs-importer'

type TreeBuilder = NonNullable<ImporterOptions['treeBuilder']>
type Imported = Parameters<TreeBuilder>[0] extends AsyncIterable<infer T> ? T : never

export interface TreeBuilderOptions extends Pick<ImporterOptions, 'wrapWithDirectory' | 'shardSplitThresholdBytes' | 'shardSplitStrategy' | 'shardFanoutBits' | 'cidVersion' | 'fieldOrder' | 'onProgress'> {
  /** Called with each directory that was written, and what is in it. */
  onDirectory (cid: CID, children: CID[]): void
}

/** A directory that is being put together. */
interface Directory {
  path: string
  /** What it was added as, where it was. */
  unixfs?: UnixFS | undefined
  children: Map<string, Child>
}

type Child = Directory | Imported

/**
 * What ipfs-unixfs-importer puts files into directories with, in place of its own.
 * The same directories come out, but for three things. Its own loses entries: when a
 * directory becomes a sharded one, the directories in it go on with the one before,
 * and bring that back when something is added to them. And it flushes by recursion,
 * which overflows the stack in deep trees, and names all below a sharded directory
 * by the path of that. And it writes a directory of directories as one block of any
 * length (`flatLength`).
 */
export function treeBuilder (options: TreeBuilderOptions): TreeBuilder {
  return async function * build (source, blockstore): AsyncGenerator<ImportResult> {
    const root: Directory = { path: '', children: new Map() }
    let first: string | undefined
    let singleRoot = false

    for await (const entry of source) {
      const [top] = `${entry.originalPath ?? ''}`.split('/')

      // as the importer: where all paths begin with the same directory, that wraps them
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
      } else if (child.unixfs?.isDirectory() === true) {
        yield child
      }
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
      parent.children.set(name, entry)
    } else if (child != null && 'children' in child) {
      parent = child
    } else {
      const directory: Directory = { path, unixfs: child?.unixfs, children: new Map() }
      parent.children.set(name, directory)
      parent = directory
    }
  }
}

/** Write a directory and all below it, what is in one before it, on a stack of its own. */
async function * flush (root: Directory, blockstore: PutStore, options: TreeBuilderOptions): AsyncGenerator<ImportResult> {
  const stack = [enter(root)]

  for (;;) {
    const { directory, left, written } = stack[stack.length - 1]
    const next = left.next()

    if (next.done !== true) {
      const [name, child] = next.value

      if ('children' in child) {
        stack.push(enter(child))
      } else {
        written.set(name, child)
      }

      continue
    }

    const result = await write(directory, written, blockstore, options)
    yield result
    stack.pop()

    if (stack.length === 0) {
      return
    }

    // its name is what is behind the path of its parent
    stack[stack.length - 1].written.set(splitPath(directory.path).at(-1) ?? '', result)
  }
}

interface Frame {
  directory: Directory
  left: Iterator<[string, Child]>
  /** By name, in order. */
  written: Map<string, Pick<ImportResult, 'cid' | 'size'>>
}

function enter (directory: Directory): Frame {
  return { directory, left: directory.children.entries(), written: new Map() }
}

async function write (directory: Directory, children: Frame['written'], blockstore: PutStore, options: TreeBuilderOptions): Promise<ImportResult> {
  const written = isLarge(directory, options) || flatLength(children) > MAX_LEAF_SIZE
    ? await writeSharded(directory, children, blockstore, options)
    : await writeFlat(directory, children, blockstore, options)

  options.onDirectory(written.cid, Array.from(children.values(), child => child.cid))

  return { ...written, path: directory.path }
}

/** Whether the importer would shard it. What is not written yet when it looks, the directories, does not count. */
function isLarge ({ unixfs, children }: Directory, { shardSplitStrategy = 'links-bytes', shardSplitThresholdBytes = DEFAULT_SHARD_SPLIT_THRESHOLD }: TreeBuilderOptions): boolean {
  if (shardSplitStrategy !== 'links-bytes' && shardSplitStrategy !== 'block-bytes') {
    throw new InvalidParametersError(`There is no shardSplitStrategy ${String(shardSplitStrategy)}`)
  }

  let size = shardSplitStrategy === 'links-bytes' ? 0 : dataFieldSerializedSize(unixfs?.mode, unixfs?.mtime)

  for (const [name, child] of children) {
    if ('children' in child) {
      continue
    }

    size += shardSplitStrategy === 'links-bytes'
      ? utf8ByteLength(name) + child.cid.byteLength
      : linkSerializedSize(utf8ByteLength(name), child.cid.byteLength, Number(child.size))
  }

  return size > shardSplitThresholdBytes
}

/**
 * Bytes of the block of a directory that is not sharded, but for its own metadata.
 * The importer would write it however long it is, where it is full of directories:
 * longer than other nodes take.
 */
function flatLength (children: Frame['written']): number {
  let length = 0

  for (const [name, { cid, size }] of children) {
    length += linkSerializedSize(utf8ByteLength(name), cid.byteLength, Number(size))
  }

  return length
}

async function writeFlat ({ unixfs: metadata }: Directory, children: Frame['written'], blockstore: PutStore, options: TreeBuilderOptions): Promise<ImportResult> {
  const unixfs = new UnixFS({ type: 'directory', mtime: metadata?.mtime, mode: metadata?.mode })
  const Links = Array.from(children, ([Name, { cid: Hash, size }]) => ({ Name, Hash, Tsize: Number(size) }))
  const block = dagPb.encode(dagPb.prepare({ Data: marshal(unixfs), Links }), options)
  const cid = CID.create(options.cidVersion ?? 1, dagPb.code, await sha256.digest(block))

  await blockstore.put(cid, block, options as Parameters<PutStore['put']>[2])

  return { cid, unixfs, size: BigInt(Links.reduce((size, link) => size + link.Tsize, block.byteLength)) }
}

async function writeSharded ({ unixfs: metadata, path }: Directory, children: Frame['written'], blockstore: PutStore, options: TreeBuilderOptions): Promise<ImportResult> {
  const directory = new DirSharded({ root: true, dir: true, path, dirty: true, flat: false, mtime: metadata?.mtime, mode: metadata?.mode }, options)
  let root: ImportResult | undefined

  for (const [name, { cid, size }] of children) {
    await directory.put(name, { cid, size })
  }

  for await (const shard of directory.flush(blockstore as Parameters<typeof directory.flush>[0])) {
    root = shard
  }

  if (root == null) {
    throw new Error('A sharded directory was not written')
  }

  return root
}

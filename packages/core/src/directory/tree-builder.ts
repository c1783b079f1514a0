import { InvalidParametersError } from '../errors.ts'
import { splitPath } from './entry-name.ts'
import { writeDirectory } from './write-directory.ts'
import { toChild, toDirectory, toFile } from './written-child.ts'
import type { PutStore } from '../dag/block.ts'
import type { DirectoryOptions } from './write-directory.ts'
import type { WrittenChild } from './written-child.ts'
import type { UnixFS } from 'ipfs-unixfs'
import type { ImporterOptions, ImportResult } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

type Imported = Parameters<NonNullable<ImporterOptions['treeBuilder']>>[0] extends AsyncIterable<infer T> ? T : never

/** Files of a directory that were written before. */
interface WrittenFiles {
  path: string
  /** The CIDs may be marked. */
  written: ReadonlyArray<{ name: string, cid: CID, size: bigint }>
}

interface TreeBuilderOptions<Files> extends DirectoryOptions, Pick<ImporterOptions, 'wrapWithDirectory'> {
  onDirectory (cid: CID, children: Iterable<WrittenChild>): void
  /** Called and awaited when files that were written before have their places. */
  onWritten? (files: Files): Promise<void>
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

type Child = Directory | Imported | WrittenChild

/**
 * Replaces the tree builder of ipfs-unixfs-importer. It makes the same directories, without three bugs of the original.
 * That one loses entries: when a directory becomes sharded, its subdirectories keep a reference to the unsharded one,
 * which replaces the sharded one when they grow. It flushes recursively, which overflows the stack in a deep tree, and
 * reports wrong paths below a sharded directory. And it writes a directory that is full of directories as a single
 * block of any length (see `writeDirectory`).
 */
export function treeBuilder<Files extends WrittenFiles> (
  options: TreeBuilderOptions<Files>
): (source: AsyncIterable<Imported | Files>, blockstore: PutStore) => AsyncGenerator<ImportResult, void> {
  return async function * build (source, blockstore) {
    const root: Directory = { path: '', children: new Map() }
    let first: string | undefined
    let singleRoot = false
    /** Of the last entry, if directories are written as soon as they are complete. */
    let open: string[] = []

    for await (const entry of source) {
      const isWritten = 'written' in entry
      const names = splitPath(entry.path ?? '')

      if (options.depthFirst === true) {
        const complete = findComplete(root, open, isWritten ? [...names, entry.written[0]?.name] : names)
        open = isWritten ? [...names, entry.written[entry.written.length - 1]?.name] : names

        if (complete != null) {
          yield * writeComplete(complete, blockstore, options)
        }
      }

      const [top] = `${(isWritten ? entry.path : entry.originalPath) ?? ''}`.split('/')

      // as in the importer: if all paths begin with the same directory, it is the wrapper
      if (top !== '') {
        singleRoot = first == null || (singleRoot && first === top)
        first ??= top
      }

      if (isWritten) {
        const { children } = enterDirectory(root, names)
        entry.written.forEach(({ name, cid, size }) => { children.set(name, toFile(cid, size)) })
        await options.onWritten?.(entry)
      } else {
        const isDirectory = entry.unixfs?.isDirectory() === true
        const name = names.at(-1)

        if (name != null) {
          enterDirectory(root, names.slice(0, -1)).children.set(name, isDirectory ? entry : toChild(entry))
        }

        if (!isDirectory) {
          yield entry
        }
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

/** A directory whose entries are all known, and where it is. */
interface Complete {
  parent: Directory
  name: string
  directory: Directory
}

/**
 * The topmost directory above the last entry that is not above the next one. The one at the top is left to the end,
 * which looks whether it is the only one.
 */
function findComplete (root: Directory, last: readonly string[], next: readonly string[]): Complete | undefined {
  const shared = last.findIndex((name, i) => name !== next[i])
  const depth = Math.max(1, shared === -1 ? last.length : shared)
  let parent = root

  for (const name of last.slice(0, depth)) {
    const child = parent.children.get(name)

    if (child == null || !('children' in child)) {
      return undefined
    }

    parent = child
  }

  const name = last[depth]
  const directory = name == null ? undefined : parent.children.get(name)

  return directory != null && 'children' in directory ? { parent, name, directory } : undefined
}

async function * writeComplete (
  { parent, name, directory }: Complete,
  blockstore: PutStore,
  options: FlushOptions
): AsyncGenerator<ImportResult> {
  let written: ImportResult | undefined

  for await (const result of flush(directory, blockstore, options)) {
    written = result
    yield result
  }

  if (written != null) {
    parent.children.set(name, toDirectory(written))
  }
}

/**
 * The directory with a path, which is made if it is missing.
 *
 * @throws {InvalidParametersError} it was complete, and is written: what was in it would be lost
 */
function enterDirectory (root: Directory, names: readonly string[]): Directory {
  let parent = root

  for (const [i, name] of names.entries()) {
    const child = parent.children.get(name)

    if (child != null && 'children' in child) {
      parent = child
    } else if (child != null && 'key' in child) {
      throw new InvalidParametersError(`Not depth first: ${names.slice(0, i + 1).join('/')} was complete`)
    } else {
      const unixfs = child != null && 'unixfs' in child ? child.unixfs : undefined
      const directory: Directory = { path: names.slice(0, i + 1).join('/'), unixfs, children: new Map() }
      parent.children.set(name, directory)
      parent = directory
    }
  }

  return parent
}

type FlushOptions = Pick<TreeBuilderOptions<never>, keyof DirectoryOptions | 'onDirectory'>

/** Write a directory and all in it, children first. Uses its own stack. */
async function * flush (
  root: Directory,
  blockstore: PutStore,
  options: FlushOptions
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

        written.set(name, 'key' in child ? child : toChild(child))
      }

      continue
    }

    const result = await writeDirectory({ ...directory, children: written }, blockstore, options)
    options.onDirectory(result.cid, written.values())
    yield result
    stack.pop()

    if (stack.length === 0) {
      return
    }

    // its own name: the last segment of its path
    stack[stack.length - 1].written.set(splitPath(directory.path).at(-1) ?? '', toDirectory(result))
  }
}

interface OpenDirectory {
  directory: Directory
  left: Iterator<[string, Child]>
  /** By name, in order. */
  written: Map<string, WrittenChild>
}

function enter (directory: Directory): OpenDirectory {
  return { directory, left: directory.children.entries(), written: new Map() }
}

import { codecName, isMarked, unmark } from '@ipfsz/core'
import { TreeEntryError } from '../errors.ts'
import { treeSource } from './tree-source.ts'
import type { Progress } from '../terminal/progress.ts'
import type { TreeSourceOptions } from './tree-source.ts'
import type { AddOptions, ImportResult, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Stands for the directory's own name while it is added, which might not be valid in a UnixFS path. */
const ROOT = 'tree'

/** A file, symlink or directory that was added. */
export interface Added {
  cid: CID
  plainCid: CID
  /** Relative to the added directory, and empty for that directory itself. */
  path: string
  /** Original size in bytes; for a directory, of all its files together. */
  size: number
  storedSize: bigint
  ratio: number
  codec: string
  type: 'file' | 'symlink' | 'directory'
}

export interface AddTreeOptions extends Omit<TreeSourceOptions, 'onRead' | 'onHidden'> {
  add: Omit<AddOptions, 'signal'>
  /** Shows how many bytes have been read. */
  progress: Progress
  /** Called and awaited for each file and symlink once it is added. */
  onAdded (added: Added): Promise<void>
}

/** The root of an added tree, and the number of hidden entries that were left out. */
export interface AddedTree {
  root: Added
  hidden: number
}

/** Add a directory and everything in it. */
export async function addTree (
  directory: string,
  files: Ipfsz,
  { add, progress, onAdded, ...options }: AddTreeOptions
): Promise<AddedTree> {
  const sizes = new Map<string, number>()
  let total = 0
  let hidden = 0
  let last: ImportResult | undefined

  const source = treeSource(directory, ROOT, {
    ...options,
    onRead (path, bytes) {
      sizes.set(path, (sizes.get(path) ?? 0) + bytes)
      progress.update(total += bytes)
    },
    onHidden () { hidden++ }
  })

  try {
    for await (const result of files.addAll(source, { ...add, signal: options.signal })) {
      const path = result.path?.slice(ROOT.length + 1) ?? ''
      last = result

      if (result.unixfs?.isDirectory() !== true) {
        await onAdded(describe(result, path, sizes.get(path) ?? 0))
        sizes.delete(path)
      }
    }
  } finally {
    progress.end()
  }

  if (last == null) {
    throw new TreeEntryError(directory, 'the import ended without adding anything')
  }

  return { root: describe(last, '', total), hidden }
}

function describe ({ cid, size: stored, unixfs }: ImportResult, path: string, size: number): Added {
  const storedSize = BigInt(stored)

  return {
    cid,
    plainCid: unmark(cid),
    path,
    size,
    storedSize,
    ratio: size === 0 ? 1 : Number(storedSize) / size,
    codec: (isMarked(cid) ? codecName(cid.code) : undefined) ?? 'none',
    type: unixfs?.isDirectory() === true ? 'directory' : unixfs?.type === 'symlink' ? 'symlink' : 'file'
  }
}

import { codecName, isMarked, unmark } from '@ipfsz/core'
import { TreeEntryError } from '../errors.ts'
import { treeSource } from './tree-source.ts'
import type { Progress } from '../terminal/progress.ts'
import type { TreeSourceOptions } from './tree-source.ts'
import type { AddOptions, ImportResult, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** What the tree is called while it is added: its own name may be one that paths cannot have. */
const ROOT = 'tree'

/** A file, symlink or directory that was added. */
export interface Added {
  cid: CID
  plainCid: CID
  /** From the directory that was added, empty for that itself. */
  path: string
  /** Original bytes: of all files, where it is a directory. */
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
  /** Called for each file and symlink as it is done, and waited for. */
  onAdded (added: Added): Promise<void>
}

/** The root of a tree that was added, and how many entries were left out as they are hidden. */
export interface AddedTree {
  root: Added
  hidden: number
}

/** Add a directory with all that is in it. */
export async function addTree (directory: string, files: Ipfsz, { add, progress, onAdded, ...options }: AddTreeOptions): Promise<AddedTree> {
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
    throw new TreeEntryError(directory, 'nothing of it was added')
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

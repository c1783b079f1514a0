import { codecName, isMarked, readableWith, unmark } from '@ipfsz/core'
import { TreeEntryError } from '../errors.ts'
import { ReferredFiles } from './referred-files.ts'
import { entryType } from './restore-metadata.ts'
import { treeSource } from './tree-source.ts'
import { wrappedSource } from './wrapped-source.ts'
import type { ChangedFiles } from './progress.ts'
import type { Progress } from './progress.ts'
import type { HeldTree } from './held-tree.ts'
import type { EntryType } from './restore-metadata.ts'
import type { Candidate, TreeSourceEvents, TreeSourceInit } from './tree-source.ts'
import type { WrappedPath } from './wrapped-source.ts'
import type { AddAllOptions, AddCandidate, AddOptions, ImportResult, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Stands for the directory's own name while it is added, which might not be valid in a UnixFS path. */
const ROOT = 'tree'

/** A file, symlink or directory that was added. */
export interface Added {
  cid: CID
  /** Relative to the added directory, and empty for that directory itself. */
  path: string
  /** Original size in bytes; for a directory, of all its files together. */
  size: number
  /** Bytes of its own blocks, as in `stat`. */
  storedSize: bigint
  ratio: number
  codec: string
  type: EntryType
  /** Of a compressed file: the tool that reads the bytes of the plain CID. See `readableWith` of `@ipfsz/core`. */
  readableWith?: string | undefined
}

export interface AddTreeOptions extends TreeSourceInit {
  add: Omit<AddOptions, 'signal'>
  /** What candidates pass on their way. By default nothing: they are added as they are. */
  pass?: ((candidates: AsyncIterable<Candidate>) => AsyncIterable<AddCandidate>) | undefined
  /** Shows how many bytes have been read. */
  progress: Pick<Progress, 'update' | 'end'>
  /** Called and awaited for each file and symlink once it is added. */
  onAdded? (added: Added): Promise<void>
  /** The same, with the path of its candidate, and the size that a directory says. */
  onWritten? (path: string, file: WrittenInTree): Promise<void> | undefined
}

/** A file that has its place in a tree. */
export interface WrittenInTree {
  cid: CID
  /** Bytes of its blocks, as its directory says. */
  dagSize: bigint
  /** The same, where each block counts once, and those of a base do not. */
  storedSize: bigint
  /** Whether it is compressed, and only IPFSz can read it. */
  onlyIpfsz: boolean
}

export interface TreeContent {
  /** Files, without directories and symlinks. */
  files: number
  compressed: number
  /** How many of the compressed files stock decoders can read, by the tool: see `readableWith` of `@ipfsz/core`. */
  readableWith: Record<string, number>
  /** How many of the compressed files only IPFSz can read: others can pin them. */
  onlyIpfsz: number
}

export interface AddedTree {
  root: Added & { plainCid: CID }
  content: TreeContent
  /** How many of the files got each codec. */
  codecs: Record<string, number>
  /** Hidden entries that were left out. */
  hidden: number
  /** Files that are executable, and will not be when they are read back. */
  executables: number
  /** Files that were written to while they were read. */
  changed: ChangedFiles
}

/** A file or symlink that has its place. */
type PlacedFile = Pick<ImportResult, 'cid' | 'unixfs' | 'onlyIpfsz'>

/** Add a directory and everything in it. */
export async function addTree (directory: string, files: Ipfsz, options: AddTreeOptions): Promise<AddedTree> {
  return addCandidates(directory, events => treeSource(directory, ROOT, { ...options, ...events }), files, options)
}

/** Add files and directories into a new directory. */
export async function addWrapped (
  paths: readonly WrappedPath[],
  files: Ipfsz,
  options: AddTreeOptions
): Promise<AddedTree> {
  return addCandidates('', events => wrappedSource(paths, ROOT, { ...options, ...events }), files, options)
}

/** @param directory - for errors */
async function addCandidates (
  directory: string,
  source: (events: TreeSourceEvents) => AsyncIterable<Candidate>,
  files: Ipfsz,
  { add, pass = candidates => candidates, progress, onAdded, onWritten, signal }: AddTreeOptions
): Promise<AddedTree> {
  const sizes = new Map<string, number>()
  const referred = new ReferredFiles()
  const content: TreeContent = { files: 0, compressed: 0, readableWith: {}, onlyIpfsz: 0 }
  const counts = { hidden: 0, executables: 0 }
  const changed: ChangedFiles = { count: 0, first: '' }
  const codecs: Record<string, number> = {}
  let total = 0
  let last: ImportResult | undefined

  const trees: HeldTree[] = []
  const candidates = source({
    onTree (tree) { trees.push(tree) },
    onRead (path, bytes) {
      sizes.set(path, (sizes.get(path) ?? 0) + bytes)
      progress.update(total += bytes)
    },
    onHidden () { counts.hidden++ },
    onExecutable () { counts.executables++ },
    onChanged (path) {
      changed.first ||= path
      changed.count++
    }
  })

  const place = async (path: string, file: PlacedFile, dagSize: bigint): Promise<void> => {
    const { size: foreign, base } = referred.take(file.cid, path)
    // a file that did not change is its earlier version
    const earlier = base?.equals(unmark(file.cid)) === true
      ? (await files.stat(file.cid, { signal })).storedSize
      : undefined
    await note(path, file, dagSize, earlier ?? dagSize - BigInt(foreign))
  }

  // not async: that would take as long as all that it does
  const note = (path: string, file: PlacedFile, dagSize: bigint, storedSize: bigint): Promise<void> | undefined => {
    const shown = path.slice(ROOT.length + 1)
    const added = describe(file, shown, sizes.get(shown) ?? 0, storedSize)
    sizes.delete(shown)

    if (added.type === 'file') {
      countFile(content, added)
      codecs[added.codec] = (codecs[added.codec] ?? 0) + 1
    }

    const noted = onWritten?.(path, { cid: file.cid, dagSize, storedSize, onlyIpfsz: file.onlyIpfsz === true })

    return onAdded == null ? noted : Promise.resolve(noted).then(async () => onAdded(added))
  }

  const addOptions: AddAllOptions = {
    ...add,
    depthFirst: true,
    signal,
    onProgress: event => { referred.note(event) },
    onWritten: async ({ path: directory, written }) => {
      for (const file of written) {
        const path = `${directory}/${file.name}`

        if (file.dictionary != null) {
          referred.refer(path, { dictionary: file.dictionary })
        }

        const noted = note(path, file, file.size, file.size - BigInt(referred.take(file.cid, path).size))

        if (noted != null) {
          await noted
        }
      }
    }
  }

  try {
    for await (const result of files.addAll(pass(candidates), addOptions)) {
      last = result

      if (result.unixfs?.isDirectory() !== true) {
        await place(result.path ?? '', result, BigInt(result.size))
      }
    }
  } finally {
    progress.end()
    await Promise.all(trees.map(async tree => tree.close()))
  }

  if (last == null) {
    throw new TreeEntryError(directory, 'the import ended without adding anything')
  }

  // unchanged parts are not written again, so it is not known which of their blocks are repeated
  const storedSize = add.compression?.base == null
    ? BigInt(last.size) - BigInt(referred.foreign)
    : (await files.stat(last.cid, { extended: true, signal })).storedSize

  const root = { ...describe(last, '', total, storedSize), plainCid: unmark(last.cid) }

  return { root, content, ...counts, codecs, changed }
}

function countFile (content: TreeContent, { codec, readableWith: tool }: Added): void {
  content.files++

  if (codec !== 'none') {
    content.compressed++
  }

  if (tool != null) {
    content.readableWith[tool] = (content.readableWith[tool] ?? 0) + 1
  } else if (codec !== 'none') {
    content.onlyIpfsz++
  }
}

function describe ({ cid, unixfs, onlyIpfsz }: PlacedFile, path: string, read: number, storedSize: bigint): Added {
  // as in ls and stat. It does not count in the size of its directory
  const size = unixfs?.type === 'symlink' ? unixfs.data?.byteLength ?? 0 : read
  const codec = (isMarked(cid) ? codecName(cid.code) : undefined) ?? 'none'
  const tool = onlyIpfsz === true ? undefined : readableWith({ codec })

  return {
    cid,
    path,
    size,
    storedSize,
    ratio: size === 0 ? 1 : Number(storedSize) / size,
    codec,
    type: entryType(unixfs),
    ...tool == null ? {} : { readableWith: tool }
  }
}

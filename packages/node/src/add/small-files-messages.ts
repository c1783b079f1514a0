/** What threads that add files are asked, and what came of each file. */
import { mark } from '@ipfsz/core'
import { decodeCids } from '@ipfsz/utils/decode-cids'
import { CID } from 'multiformats/cid'
import { isTorn } from '../disk/file-content.ts'
import { IDENTITY_SIZE, identityOf, isSameIdentity } from '../disk/file-identity.ts'
import { NUMBERS } from './small-files-protocol.ts'
import type { ListedBlock } from './block-sink.ts'
import type { LargeFileEnd, ReadBatch, ReadFiles } from './small-files-protocol.ts'
import type { TreeFile } from '../disk/tree-file.ts'
import type { Candidate } from '../disk/tree-source.ts'
import type { WrittenFile } from '@ipfsz/core'
import type { SharedDictionary } from '@ipfsz/core/small-files'

/** A file of a tree, and its metadata if that is preserved. */
export interface FileToWrite {
  file: TreeFile
  metadata: Pick<Candidate, 'mode' | 'mtime'>
  dictionary?: SharedDictionary | undefined
}

export interface SmallFileResult extends WrittenFile {
  /** The size of the file, in bytes. */
  bytes: number
  /** Whether it is still what was examined. */
  isSame: boolean
}

/** The blocks of an answer. */
export function listBlocks ({ cids, sizes }: Pick<ReadFiles, 'cids' | 'sizes'>): ListedBlock[] {
  return decodeCids(cids).map((cid, i) => ({ cid, size: sizes[i] }))
}

/** The request for files. Their directories are held until it is released. */
export async function requestOf (
  files: readonly FileToWrite[]
): Promise<{ request: Omit<ReadBatch, 'batch'>, release: () => void }> {
  const releases: Array<() => void> = []
  const directories: string[] = []
  const places = new Uint32Array(files.length)
  const identities = new BigInt64Array(files.length * IDENTITY_SIZE)
  let last: TreeFile | undefined

  const release = (): void => { releases.forEach(each => { each() }) }

  try {
    for (const [i, { file }] of files.entries()) {
      // those of a directory follow each other, but for what is below it
      if (last?.below !== file.below || last.tree !== file.tree) {
        const held = await file.tree.hold(file.below)
        releases.push(held.release)
        directories.push(held.directory.path)
      }

      places[i] = directories.length - 1
      identities.set(identityOf(file.stats), i * IDENTITY_SIZE)
      last = file
    }
  } catch (err) {
    release()
    throw err
  }

  const dictionaries = [...new Set(files.flatMap(({ dictionary }) => dictionary ?? []))]
  const hasMetadata = files.some(({ metadata: { mode, mtime } }) => mode != null || mtime != null)

  return {
    request: {
      directories,
      names: files.map(({ file }) => file.name),
      places,
      identities,
      metadata: hasMetadata ? files.map(({ metadata: { mode, mtime } }) => ({ mode, mtime })) : undefined,
      ...dictionaries.length === 0
        ? {}
        : {
          dictionaries,
          assigned: Int32Array.from(files, ({ dictionary: own }) => dictionaries.findIndex(each => each === own))
        }
    },
    release
  }
}

/** What became of the files of a request: undefined for each that has to be added in the ordinary way. */
export function resultsOf (
  files: readonly FileToWrite[],
  numbers: Uint32Array,
  blocks: ReadonlyArray<{ cid: CID, size: number }>
): Array<SmallFileResult | undefined> {
  let at = 0

  return files.map(({ file: { name }, dictionary }, i) => {
    const [count, bytes, size, marker, isSame, onlyIpfsz, hasDictionary] =
      numbers.subarray(i * NUMBERS, (i + 1) * NUMBERS)
    const own = blocks.slice(at, at += count)
    const root = own.at(-1)?.cid

    return root == null
      ? undefined
      : {
        name,
        cid: marker === 0 ? root : mark(root, marker),
        size: BigInt(size),
        blocks: own,
        bytes,
        isSame: isSame === 1,
        onlyIpfsz: onlyIpfsz === 1,
        ...dictionary == null || hasDictionary === 0
          ? {}
          : { dictionary: { cid: CID.decode(dictionary.cid), size: dictionary.dagSize } }
      }
  })
}

/** What became of a large file. Undefined if it has to be added in the ordinary way. */
export function largeResult (
  { name, path, stats, events }: TreeFile,
  { encoded, identity: [size, mtimeNs, ctimeNs, ino] }: LargeFileEnd,
  bytes: number,
  blocks: ListedBlock[]
): SmallFileResult | undefined {
  if (encoded == null) {
    return undefined
  }

  const after = { size, mtimeNs, ctimeNs, ino: BigInt.asUintN(64, ino) }

  if (isTorn(stats, after)) {
    events.onChanged(path)
  }

  return {
    name,
    cid: encoded.marker == null ? CID.decode(encoded.cid) : mark(CID.decode(encoded.cid), encoded.marker),
    size: BigInt(encoded.dagSize),
    blocks,
    bytes,
    isSame: isSameIdentity(identityOf(after), identityOf(stats)),
    onlyIpfsz: encoded.onlyIpfsz
  }
}

import { describeLink, isMarked, unmark, VerifyFailedError } from '@ipfsz/core'
import { decodeNode } from '@ipfsz/core/nodes'
import { collectBytes } from '@ipfsz/utils/bytes'
import { LruMap } from '@ipfsz/utils/lru-map'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { claimOf } from '../dag/fetch-dag.ts'
import { MultihashSet } from '../dag/multihash-set.ts'
import { metadataOf } from '../disk/restore-metadata.ts'
import { reportBytes } from '../repo/report-reads.ts'
import { InTurns } from '../tree/in-turns.ts'
import { listLinks } from '../dag/list-links.ts'
import { LEFT, sizeOf, SmallFiles } from '../tree/small-files.ts'
import { defaultThreads } from '../threads/thread-pool.ts'
import { walkTree } from '../tree/walk-tree.ts'
import { CountedBlocks } from './counted-blocks.ts'
import type { ClaimedBytes } from '../tree/claimed-bytes.ts'
import type { SmallResult } from '../tree/small-files.ts'
import type { FoundDirectory, TreeEntry, TreeVisitor, WaitingDirectory } from '../tree/walk-tree.ts'
import type { Repo } from '../repo/repo.ts'
import type { SpillStack } from '../disk/spill-stack.ts'
import type { BlocksBelow, DirectoryLink, Ipfsz, VerifyReport } from '@ipfsz/core'

/** How many directories and files that are not small are remembered, so that what occurs several times is read once. */
const MAX_REMEMBERED = 16_384
/** A tree that is deeper is left to `verify` of `@ipfsz/core`. */
const MAX_DEPTH = 4096
/** How many files are verified at a time by this thread, and how many bytes they have. */
const CONCURRENCY = 4
const MAX_BYTES = 4 * 1024 * 1024

interface Tally extends Pick<VerifyReport, 'size' | 'frames' | 'files'> {
  /** Of blocks, as links claim. */
  bytes: number
}

const NOTHING: Tally = { size: 0n, frames: 0, files: 0, bytes: 0 }

export interface VerifyTreeOptions {
  files: Pick<Ipfsz, 'blocks'>
  /** Reads the files that are not small, and tells `verified` what it reads. */
  reading: Pick<Ipfsz, 'verify'>
  small: SmallFiles
  waiting: SpillStack<WaitingDirectory>
  verified: ClaimedBytes
  maxWindowSize?: number | undefined
  signal: AbortSignal
}

/**
 * Verify a file or directory, like `verify` of `@ipfsz/core`: the small files of a directory in worker threads.
 * Whatever is not as it should be, that function reports.
 */
export async function verifyTree (cid: CID, options: VerifyTreeOptions): Promise<VerifyReport> {
  const { reading, small, waiting, verified, maxWindowSize, signal } = options
  const { isDirectory, claim } = await lookAt(cid, options)
  const alone = async (): Promise<VerifyReport> => verified.during(claim, async () =>
    reading.verify(cid, { signal, maxWindowSize, seen: new MultihashSet() }))

  if (!isDirectory) {
    return alone()
  }

  const verifier = new TreeVerifier(cid, options)

  try {
    const { concurrency } = small
    await walkTree({ cid: unmark(cid), metadata: {} }, verifier, { waiting, concurrency, signal })
  } catch (err) {
    if (signal.aborted || !(err instanceof NotListedError)) {
      throw err
    }

    return alone()
  }

  const { bytes: _, ...total } = verifier.total

  return { cid: unmark(cid), ...total, blocks: BigInt(verifier.blocks.count) }
}

/**
 * The threads that verify small files: one for each processor but that of this thread, which is as busy with listing
 * directories and verifying large files.
 */
export function smallFilesToVerify (repo: Repo): SmallFiles {
  return new SmallFiles(repo, Math.max(1, defaultThreads() - 1))
}

/** Thrown where a directory cannot be listed, or is too deep. */
class NotListedError extends Error {}

interface VerifiedDirectory {
  cid: CID
  name: string
  depth: number
  parent: VerifiedDirectory | undefined
  /** What is below it. */
  tally: Tally
}

type Entry = TreeEntry<VerifiedDirectory>

class TreeVerifier implements TreeVisitor<VerifiedDirectory> {
  total: Tally = NOTHING
  readonly blocks = new CountedBlocks()
  readonly #options: VerifyTreeOptions
  readonly #isMarked: boolean
  readonly #below: Pick<BlocksBelow, 'checksBlocks' | 'get'>
  readonly #bases = new MultihashSet()
  readonly #walked = new LruMap<string, Tally>({ maxEntries: MAX_REMEMBERED })
  readonly #large = new LruMap<string, Omit<Tally, 'bytes'>>({ maxEntries: MAX_REMEMBERED })
  readonly #turns = new InTurns(CONCURRENCY, MAX_BYTES)

  constructor (root: CID, options: VerifyTreeOptions) {
    const blocks = options.files.blocks(root, options)
    this.#options = options
    this.#isMarked = isMarked(root)
    this.#below = {
      checksBlocks: true,
      get: (cid, options) => {
        this.blocks.add(cid)

        return blocks.get(cid, options)
      }
    }
  }

  async enter (
    { cid }: FoundDirectory,
    name: string,
    parent: VerifiedDirectory | undefined
  ): Promise<VerifiedDirectory | undefined> {
    const depth = (parent?.depth ?? 0) + 1
    const walked = this.#walked.get(keyOf(cid))

    if (walked != null) {
      addTo(parent?.tally, walked)
      this.#options.verified.add(walked.bytes)

      return undefined
    }

    if (depth > MAX_DEPTH) {
      throw new NotListedError()
    }

    return { cid, name, depth, parent, tally: { ...NOTHING } }
  }

  async * list ({ cid, tally }: VerifiedDirectory): AsyncGenerator<DirectoryLink> {
    const onBytes = (bytes: number): void => {
      tally.bytes += bytes
      this.#options.verified.add(bytes)
    }

    try {
      const blocks: Pick<BlocksBelow, 'get'> = {
        get: (cid, options) => reportBytes(this.#below.get(cid, options), onBytes)
      }

      yield * listLinks(cid, blocks, this.#options.signal)
    } catch (cause) {
      throw new NotListedError('', { cause })
    }
  }

  async visit (entries: readonly Entry[]): Promise<Array<FoundDirectory | undefined>> {
    const results: Array<SmallResult | undefined> = entries.map(({ cid }) => this.blocks.fileOf(cid))
    const others = entries.flatMap((_, i) => results[i] == null ? [i] : [])
    const read = await this.#options.small.run('verify', others.map(i => entries[i]), this.#isMarked)
    others.forEach((i, n) => { results[i] = read[n] })
    const found: Array<FoundDirectory | undefined> = []
    const left: number[] = []
    let bytes = 0

    for (const [i, result = LEFT] of results.entries()) {
      const { cid, directory, size } = entries[i]

      if (result.type === 'file') {
        this.blocks.addFile(cid, result)
        this.#countLeaf(result)
        addTo(directory.tally, { size: BigInt(result.size), frames: result.frames, files: 1, bytes: size })
        bytes += size
      } else if (result.type === 'directory') {
        found[i] = result.found
      } else {
        left.push(i)
      }
    }

    this.#options.verified.add(bytes)
    await this.#turns.each(left, i => sizeOf(entries[i], results[i] ?? LEFT), async i => {
      found[i] = await this.#visitOne(entries[i])
    })

    return found
  }

  async leave ({ cid, parent, tally }: VerifiedDirectory): Promise<void> {
    if (Math.max(tally.files, tally.frames) > Number.MAX_SAFE_INTEGER) {
      throw new NotListedError()
    }

    this.#walked.set(keyOf(cid), tally)
    addTo(parent?.tally, tally)
    this.total = tally
  }

  async #visitOne ({ directory, name, ...link }: Entry): Promise<FoundDirectory | undefined> {
    const { signal } = this.#options
    const { size: bytes } = link

    try {
      const entry = await describeLink(link, this.#isMarked, { blockstore: this.#below }, { signal })

      if (entry.type === 'directory') {
        return { cid: entry.plainCid, metadata: metadataOf(entry) }
      }

      addTo(directory.tally, { ...await this.#verifyFile(entry.cid, bytes), bytes })

      return undefined
    } catch (err) {
      throw signal.aborted ? err : new VerifyFailedError(link.cid, pathOf(directory, name), err)
    }
  }

  async #verifyFile (cid: CID, bytes: number): Promise<Omit<Tally, 'bytes'>> {
    const { reading, verified, maxWindowSize, signal } = this.#options
    const key = keyOf(cid)
    const known = this.#large.get(key)

    if (known != null) {
      verified.add(bytes)

      return known
    }

    const { size, frames, files } = await verified.during(bytes, async () =>
      reading.verify(cid, { signal, maxWindowSize, seen: this.blocks, bases: this.#bases }))
    this.#large.set(key, { size, frames, files })

    return { size, frames, files }
  }

  #countLeaf ({ leaf }: Extract<SmallResult, { type: 'file' }>): void {
    if (leaf != null) {
      this.blocks.add(CID.decode(leaf))
    }
  }
}

function addTo (tally: Tally | undefined, { size, frames, files, bytes }: Tally): void {
  if (tally != null) {
    tally.size += size
    tally.frames += frames
    tally.files += files
    tally.bytes += bytes
  }
}

function keyOf ({ bytes }: CID): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** The path of an entry from the root of the tree. */
function pathOf (directory: VerifiedDirectory, name: string): string {
  const names = [name]

  for (let at = directory; at.parent != null; at = at.parent) {
    names.push(at.name)
  }

  return names.toReversed().join('/')
}

/** What a root is, and how many bytes it claims to have. */
async function lookAt (
  cid: CID,
  { files, signal }: VerifyTreeOptions
): Promise<{ isDirectory: boolean, claim: number }> {
  const plain = unmark(cid)

  try {
    const bytes = await collectBytes(files.blocks(cid).get(plain, { signal }))
    const isDirectory = plain.code === dagPb.code && decodeNode(plain, bytes).unixfs.isDirectory()

    return { isDirectory, claim: claimOf(plain, bytes) }
  } catch {
    // `verify` says what is wrong with it
    return { isDirectory: false, claim: 0 }
  }
}

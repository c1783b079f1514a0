// Room: from a CID and a path to the root of a file, and what it takes: sizes of a DAG in `dag-meter.ts`, of a file
// from its root alone in `describe.ts`.
import * as raw from 'multiformats/codecs/raw'
import { isIdentity } from '../dag/hashes.ts'
import { DagTooLargeError } from '../errors.ts'
import type { Header } from '../format/header.ts'
import type { SeenBlocks } from '../dag/seen-blocks.ts'
import type { CID } from 'multiformats/cid'

/** What was counted: each block and each file once, and only if no call before it counted it. */
export interface Measured {
  blocks: number
  /** Bytes of these blocks. */
  storedSize: bigint
  /** Bytes of missing blocks and what is below them, as the blocks above state them. Only with `offline`. */
  missingSize: bigint
  /** Whether directories or roots of files are missing, so that their original sizes are unknown. */
  isIncomplete: boolean
  /** Original bytes of the files. */
  size: bigint
  /** The compressed files among them: the blocks of compressed bases are theirs too. */
  compressed: { files: number, size: bigint, storedSize: bigint }
}

interface BlockCounterInit {
  /** The blocks and the files that count no more. */
  seen: SeenBlocks
  sized: SeenBlocks
  /** @default Infinity */
  maxBlocks?: number | undefined
  onBlock?: (() => void) | undefined
}

/** Counts each block and each file once. */
export class BlockCounter {
  readonly #init: BlockCounterInit
  readonly #counted = nothing()
  /** Blocks that were counted, and missing ones. */
  #found = 0

  constructor (init: BlockCounterInit) {
    this.#init = init
  }

  get counted (): Measured {
    return copy(this.#counted)
  }

  since (before: Measured): Measured {
    return difference(this.#counted, before)
  }

  /** Whether blocks were missing, from now on. */
  resetIncomplete (): void {
    this.#counted.isIncomplete = false
  }

  /** @param isCompressed - whether it belongs to a compressed file */
  addBlock (cid: CID, length: number, isCompressed: boolean): void {
    // the CID of an identity block holds the bytes: no block is stored
    if (this.#isNew(cid) && !isIdentity(cid)) {
      this.#limit()
      const size = BigInt(length)
      this.#counted.blocks++
      this.#counted.storedSize += size
      this.#counted.compressed.storedSize += isCompressed ? size : 0n
      this.#init.onBlock?.()
    }
  }

  /** @param size - bytes of the block and all below it, as the block above states them */
  addMissing (cid: CID, size: number): void {
    if (this.#isNew(cid)) {
      this.#limit()
      this.#counted.missingSize += BigInt(size)
    }

    this.#counted.isIncomplete ||= cid.code !== raw.code || size === 0
  }

  /** @param header - if it is compressed */
  addFile (cid: CID, header: Header | undefined, size: bigint): void {
    const { sized } = this.#init

    if (!sized.has(cid)) {
      const { compressed } = this.#counted
      sized.add(cid)
      this.#counted.size += size
      compressed.files += header == null ? 0 : 1
      compressed.size += header == null ? 0n : size
    }
  }

  #isNew (cid: CID): boolean {
    const { seen } = this.#init
    const isNew = !seen.has(cid)
    seen.add(cid)

    return isNew
  }

  #limit (): void {
    const { maxBlocks = Infinity } = this.#init
    this.#found++

    if (this.#found > maxBlocks) {
      throw new DagTooLargeError(maxBlocks)
    }
  }
}

function nothing (): Measured {
  const compressed = { files: 0, size: 0n, storedSize: 0n }

  return { blocks: 0, storedSize: 0n, missingSize: 0n, isIncomplete: false, size: 0n, compressed }
}

function copy ({ compressed, ...counted }: Measured): Measured {
  return { ...counted, compressed: { ...compressed } }
}

function difference (after: Measured, before: Measured): Measured {
  return {
    blocks: after.blocks - before.blocks,
    storedSize: after.storedSize - before.storedSize,
    missingSize: after.missingSize - before.missingSize,
    isIncomplete: after.isIncomplete,
    size: after.size - before.size,
    compressed: {
      files: after.compressed.files - before.compressed.files,
      size: after.compressed.size - before.compressed.size,
      storedSize: after.compressed.storedSize - before.compressed.storedSize
    }
  }
}

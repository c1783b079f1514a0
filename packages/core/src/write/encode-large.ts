import { BufferPool } from '../frames/buffer-pool.ts'
import { DEFAULT_FRAME_SIZE, MAX_LEAF_SIZE } from '../constants.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { compressFile } from './compress-file.ts'
import type { Metadata } from '../dag/file-block.ts'
import type { PutStore } from '../dag/block.ts'
import type { Compression } from '../policy/compression.ts'
import type { EncodeOptions } from '../small/encode-file.ts'
import type { EncodedBlock } from '../small/encoded-file.ts'

/** A file whose blocks were put. */
export interface EncodedLargeFile {
  /** The bytes of its plain CIDv1. */
  cid: Uint8Array
  /** The marker code of a compressed file. */
  marker?: number
  /** Bytes of all blocks: the size of the file in the link of a directory. */
  dagSize: number
  /** Whether no other program can read it. */
  onlyIpfsz: boolean
}

/** How many leaves of a file that is not compressed are in work at a time. */
const PLAIN_LEAVES = 2

/** Memory that files are read into. It is kept for the next file. */
const pool = new BufferPool(DEFAULT_FRAME_SIZE)

/**
 * Encode a file of several blocks, into those of `fs.addAll`, a few frames at a time.
 *
 * @param read - reads the next bytes into an array. 0 at the end of the file
 * @param put - called with each block, whose memory may be used again when it has resolved
 * @returns undefined if the file is not compressed, and how its blocks are made then is not the default
 */
export async function encodeLarge (
  read: (target: Uint8Array) => number,
  metadata: Metadata,
  { compression, isPlainRaw }: Pick<EncodeOptions, 'isPlainRaw'> & { compression: Compression },
  put: (block: EncodedBlock) => Promise<void>
): Promise<EncodedLargeFile | undefined> {
  const source: Source = { read, isPlain: false }
  const reader = new ByteReader(pieces(source))
  const blockstore: PutStore = {
    releasesBlocks: true,

    async put (cid, bytes) {
      await put({ cid: cid.bytes, bytes: bytes as Uint8Array })

      return cid
    }
  }

  try {
    const written = await compressFile(metadata, reader, blockstore, {
      compression,
      inFlightBytes: DEFAULT_FRAME_SIZE,
      compressesAtOnce: true,
      openBase: async () => undefined
    })

    if (written instanceof Uint8Array) {
      source.isPlain = true

      return isPlainRaw ? await encodePlain(written, { reader, metadata, blockstore }) : undefined
    }

    const { cid, code: marker, dagSize, onlyIpfsz } = written

    return { cid: cid.bytes, marker, dagSize, onlyIpfsz }
  } finally {
    reader.close()
    // all blocks were put
    BufferPool.release(source.last ?? NOTHING)
  }
}

/** @param first - what was read of the file */
async function encodePlain (
  first: Uint8Array,
  { reader, metadata, blockstore }: { reader: ByteReader, metadata: Metadata, blockstore: PutStore }
): Promise<EncodedLargeFile> {
  // few files need the importer, which is large
  const { IMPORTER_DEFAULTS, writePlainFile } = await import('./plain-file.ts')
  const importer = { ...IMPORTER_DEFAULTS, blockWriteConcurrency: PLAIN_LEAVES }

  async function * content (): AsyncGenerator<Uint8Array> {
    yield first
    yield * reader.rest()
  }

  const { cid, size } = await writePlainFile(metadata, content(), blockstore, { importer })
  BufferPool.release(first)

  return { cid: cid.bytes, dagSize: Number(size), onlyIpfsz: false }
}

/** What is read, and whether it is certain that it is not compressed: then nobody returns memory to the pool. */
interface Source {
  read: (target: Uint8Array) => number
  isPlain: boolean
  /** The memory of the last piece, which does not fill it. */
  last?: Uint8Array
}

const NOTHING = new Uint8Array(0)

async function * pieces (source: Source): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = source.isPlain ? new Uint8Array(MAX_LEAF_SIZE) : pool.take(DEFAULT_FRAME_SIZE)
    let filled = 0

    for (let length = -1; length !== 0 && filled < piece.byteLength; filled += length) {
      length = source.read(piece.subarray(filled))
    }

    if (filled === piece.byteLength) {
      // whoever compresses it returns it to the pool
      yield piece
      continue
    }

    source.last = piece

    if (filled > 0) {
      yield piece.subarray(0, filled)
    }

    return
  }
}

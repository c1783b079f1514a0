import { hash } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { FileHandle } from 'node:fs/promises'

/* A chunk is: the length of its compressed bytes (4 bytes, little endian), 16 bytes of their SHA-256, and the bytes. */

const DIGEST_SIZE = 16
const HEAD_SIZE = 4 + DIGEST_SIZE
/** Bytes of a chunk before and after it is compressed, at most: one of 64 KiB, and a record. */
const MAX_SIZE = 256 * 1024
/** The fastest: hashes do not shrink, and the rest shrinks with any level. */
const LEVEL = 1

/** Append a chunk to an open file. */
export function writeChunk (fd: number, content: Uint8Array): void {
  const bytes = zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
  const chunk = Buffer.allocUnsafe(HEAD_SIZE + bytes.byteLength)
  chunk.writeUInt32LE(bytes.byteLength)
  chunk.set(digestOf(bytes), 4)
  chunk.set(bytes, HEAD_SIZE)

  for (let written = 0; written < chunk.byteLength;) {
    written += writeSync(fd, chunk, written)
  }
}

/** Read the next chunk of a file. Undefined at the end, and where the file is damaged. */
export function readChunk ({ fd }: FileHandle): Buffer | undefined {
  try {
    const head = readExactly(fd, HEAD_SIZE)
    const bytes = head && readExactly(fd, head.readUInt32LE())

    return bytes == null || Buffer.compare(digestOf(bytes), head?.subarray(4) ?? bytes) !== 0
      ? undefined
      : zstdDecompressSync(bytes, { maxOutputLength: MAX_SIZE })
  } catch {
    return undefined
  }
}

/** Synchronous: a call of the thread pool takes longer than the read. */
function readExactly (fd: number, size: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(Math.min(size, MAX_SIZE))
  let length = 0

  while (length < bytes.byteLength) {
    const bytesRead = readSync(fd, bytes, length, bytes.byteLength - length, null)

    if (bytesRead === 0) {
      return undefined
    }

    length += bytesRead
  }

  return size > MAX_SIZE ? undefined : bytes
}

function digestOf (bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, DIGEST_SIZE)
}

import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { DEFAULT_FRAME_SIZE } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import * as json from 'multiformats/codecs/json'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import type { Files } from '../file-systems.ts'
import type { Blockstore } from 'interface-blockstore'

/** Bytes of a leaf. */
const LEAF = 1024 * 1024

/** How many frames are compressed or decompressed at a time: one more than there are cores, on two cores. */
const AT_ONCE = 3

/** A frame in a file's root. */
interface Frame {
  /** Original bytes. */
  size: number
  /** The CIDs of its leaves. */
  leaves: string[]
}

/** What adding and reading cannot do without: frames that are compressed, hashed and stored, three at a time. */
export function floorFiles (blockstore: Blockstore): Files {
  const put = async (code: number, bytes: Uint8Array): Promise<CID> => {
    const cid = CID.createV1(code, await sha256.digest(bytes))
    await blockstore.put(cid, bytes)

    return cid
  }

  const get = async (cid: CID): Promise<Uint8Array> => {
    const parts: Uint8Array[] = []

    for await (const part of blockstore.get(cid)) {
      parts.push(part)
    }

    const block = Buffer.concat(parts)
    await sha256.digest(block)

    return block
  }

  const compress = async (bytes: Uint8Array): Promise<Frame> => {
    const { byteLength: size } = bytes
    const frame = await promisify(zstdCompress)(bytes, { chunkSize: Math.max(64, size >> 1), pledgedSrcSize: size })
    const leaves: string[] = []

    for (let start = 0; start < frame.byteLength; start += LEAF) {
      leaves.push((await put(raw.code, frame.subarray(start, start + LEAF))).toString())
    }

    return { size, leaves }
  }

  const decompress = async ({ size, leaves }: Frame, isOnly: boolean): Promise<Uint8Array> => {
    const frame = Buffer.concat(await Promise.all(leaves.map(async leaf => get(CID.parse(leaf)))))
    const options = { chunkSize: size + 1, maxOutputLength: size }

    // with nothing beside it, another thread would only take longer
    return isOnly ? zstdDecompressSync(frame, options) : promisify(zstdDecompress)(frame, options)
  }

  const addByteStream = async (source: AsyncIterable<Uint8Array>): Promise<CID> => {
    const frames: Frame[] = []

    for await (const frame of inOrder(cut(source), compress)) {
      frames.push(frame)
    }

    return put(json.code, json.encode(frames))
  }

  return {
    addByteStream,
    addBytes: async bytes => addByteStream((async function * () { yield bytes })()),
    cat: async function * (cid) {
      const frames = json.decode<Frame[]>(await get(cid))

      yield * inOrder(frames, async frame => decompress(frame, frames.length === 1))
    }
  }
}

/** Cut a stream into frames, each in memory that is used again once it is compressed. */
async function * cut (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffers = Array.from({ length: AT_ONCE + 1 }, () => new Uint8Array(DEFAULT_FRAME_SIZE))
  let next = 0
  let filled = 0

  for await (const piece of source) {
    for (let taken = 0; taken < piece.byteLength;) {
      const buffer = buffers[next % buffers.length]
      const part = piece.subarray(taken, taken + buffer.byteLength - filled)
      buffer.set(part, filled)
      taken += part.byteLength
      filled += part.byteLength

      if (filled === buffer.byteLength) {
        yield buffer
        next++
        filled = 0
      }
    }
  }

  if (filled > 0) {
    yield buffers[next % buffers.length].subarray(0, filled)
  }
}

/** Map values, three at a time, in their order. */
async function * inOrder<T, R> (
  source: AsyncIterable<T> | Iterable<T>,
  map: (value: T) => Promise<R>
): AsyncGenerator<R> {
  const running: Array<Promise<R>> = []

  for await (const value of source) {
    running.push(map(value))

    if (running.length === AT_ONCE) {
      yield await (running.shift() as Promise<R>)
    }
  }

  for (const result of running) {
    yield await result
  }
}

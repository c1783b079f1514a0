/** What adding and reading a file in a page cannot do without. */
import { DEFAULT_FRAME_SIZE } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create } from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import type { FloorAnswer, FloorCall } from './page-floor-worker.ts'
import type { Files } from './file-systems.ts'
import type { Blockstore } from 'interface-blockstore'

/** Bytes of a leaf. */
const LEAF = 1024 * 1024

/** The script of the page, which is that of its workers too. */
const SCRIPT = 'main.js'

interface Frame {
  leaves: CID[]
  /** Compressed bytes. */
  length: number
  /** Original bytes. */
  size: number
}

type Call = FloorCall extends infer C ? C extends FloorCall ? Omit<C, 'id'> : never : never

/** As many workers as cores, each of which runs one call after the other. */
class FloorWorkers {
  readonly #answers = new Map<number, (bytes: Uint8Array) => void>()
  readonly #workers = Array.from({ length: navigator.hardwareConcurrency }, () => {
    const worker = new Worker(SCRIPT, { type: 'module' })

    worker.addEventListener('message', ({ data: { id, bytes } }: MessageEvent<FloorAnswer>) => {
      this.#answers.get(id)?.(bytes)
      this.#answers.delete(id)
    })

    return worker
  })

  #calls = 0

  get size (): number {
    return this.#workers.length
  }

  async run (call: Call, { buffer }: Uint8Array): Promise<Uint8Array> {
    const id = this.#calls++

    return new Promise(resolve => {
      this.#answers.set(id, resolve)
      this.#workers[id % this.size].postMessage({ ...call, id }, [buffer])
    })
  }
}

let workers: FloorWorkers | undefined

/**
 * Each frame is read, hashed, decompressed in a worker and handed over without another copy, several at a time; or
 * compressed, hashed and stored. Nothing else is done: no format, no trees, no checks, no errors.
 */
export function pageFloor (blockstore: Blockstore): Files {
  const files = new Map<string, Frame[]>()
  const pool = workers ??= new FloorWorkers()

  const store = async (piece: Uint8Array): Promise<Frame> => {
    const size = piece.byteLength
    const bytes = await pool.run({ compress: piece }, piece)
    const leaves: CID[] = []

    for (let start = 0; start < bytes.byteLength; start += LEAF) {
      const leaf = bytes.subarray(start, start + LEAF)
      const cid = CID.createV1(raw.code, create(sha256.code, await hash(leaf)))
      await blockstore.put(cid, leaf)
      leaves.push(cid)
    }

    return { leaves, length: bytes.byteLength, size }
  }

  const load = async ({ leaves, length, size }: Frame): Promise<Uint8Array> => {
    const frame = new Uint8Array(length)
    let at = 0

    for (const cid of leaves) {
      for await (const leaf of blockstore.get(cid)) {
        await hash(leaf)
        frame.set(leaf, at)
        at += leaf.byteLength
      }
    }

    return pool.run({ decompress: frame, size }, frame)
  }

  const addByteStream = async (source: AsyncIterable<Uint8Array>): Promise<CID> => {
    const stored: Array<Promise<Frame>> = []

    for await (const piece of pieces(source)) {
      stored.push(store(piece))
      await stored.at(-1 - pool.size)
    }

    const frames = await Promise.all(stored)
    const cid = frames[0].leaves[0]
    files.set(cid.toString(), frames)

    return cid
  }

  return {
    addByteStream,
    addBytes: async bytes => addByteStream(async function * () { yield bytes }()),

    async * cat (cid) {
      const frames = files.get(cid.toString()) ?? []
      const loaded: Array<Promise<Uint8Array>> = []

      for (const i of frames.keys()) {
        for (const frame of frames.slice(loaded.length, i + pool.size + 1)) {
          loaded.push(load(frame))
        }

        yield loaded[i]
      }
    }
  }
}

async function hash (bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
}

/** Pieces of the size of a frame, each in memory of its own. */
async function * pieces (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(DEFAULT_FRAME_SIZE)
  let length = 0

  for await (const chunk of source) {
    for (let at = 0; at < chunk.byteLength;) {
      const part = chunk.subarray(at, at + piece.byteLength - length)
      piece.set(part, length)
      length += part.byteLength
      at += part.byteLength

      if (length === piece.byteLength) {
        yield piece
        piece = new Uint8Array(DEFAULT_FRAME_SIZE)
        length = 0
      }
    }
  }

  if (length > 0) {
    yield piece.slice(0, length)
  }
}

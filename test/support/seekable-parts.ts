import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import type { Blockstore } from 'interface-blockstore'

export const MIB = 1024 * 1024
export const GIB = 1024 * MIB

/** Bytes below a link. */
export interface Part {
  cid: CID
  size: number
}

/** Streams of any size with a seek table, made of few blocks. */
export class SeekableParts {
  readonly #blockstore: Pick<Blockstore, 'put'>

  constructor (blockstore: Pick<Blockstore, 'put'>) {
    this.#blockstore = blockstore
  }

  async leaf (bytes: Uint8Array): Promise<Part> {
    return { cid: await this.#put(raw.code, bytes), size: bytes.byteLength }
  }

  /** Zeros: a whole number of MiB up to a GiB, or of GiB. */
  async zeros (size: number): Promise<Part> {
    const leaf = await this.leaf(new Uint8Array(MIB))
    const node = await this.#node(repeated(leaf, Math.min(size / MIB, 1024)))

    return size <= GIB ? node : this.#node(repeated(node, size / GIB))
  }

  /**
   * A stream of parts, each with an entry in the table.
   *
   * @returns its plain CID
   */
  async stream (parts: ReadonlyArray<readonly [Part, size: number]>): Promise<CID> {
    const table = await this.leaf(encodeTable(parts.map(([{ size: length }, size]) => [length, size])))

    return (await this.#node([...parts.map(([part]) => part), table])).cid
  }

  async #node (parts: readonly Part[]): Promise<Part> {
    const size = parts.reduce((total, { size }) => total + size, 0)
    // a UnixFS file: its type, its size, and that of each link. ipfs-unixfs writes sizes from 2^31 on wrongly
    const data = Uint8Array.from([8, 2, 24, ...varint(size), ...parts.flatMap(({ size }) => [32, ...varint(size)])])
    const links = parts.map(({ cid, size }) => ({ Name: '', Hash: cid, Tsize: size }))

    return { cid: await this.#put(dagPb.code, dagPb.encode(dagPb.prepare({ Data: data, Links: links }))), size }
  }

  async #put (code: number, bytes: Uint8Array): Promise<CID> {
    const cid = CID.createV1(code, await sha256.digest(bytes))
    await this.#blockstore.put(cid, bytes)

    return cid
  }
}

export function repeated<T> (value: T, times: number): T[] {
  return Array.from({ length: times }, () => value)
}

/** The table of the Zstandard Seekable Format 0.1.0, of stored and original bytes. */
function encodeTable (entries: ReadonlyArray<readonly number[]>): Uint8Array {
  const words = [0x184d2a5e, entries.length * 8 + 9, ...entries.flat(), entries.length]
  const bytes = new Uint8Array(words.length * 4 + 5)
  const view = new DataView(bytes.buffer)

  words.forEach((word, i) => { view.setUint32(i * 4, word, true) })
  view.setUint32(bytes.byteLength - 4, 0x8f92eab1, true)

  return bytes
}

function varint (value: number): number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))]
}

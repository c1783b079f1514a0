import { unmark } from '@ipfsz/core'
import { CarWriter } from '@ipld/car'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { bytesField, numberField } from './protobuf.ts'

/** Bytes below a link. */
export interface Part {
  cid: CID
  size: number
}

export interface FileNodeInit {
  /** What the node itself holds. */
  data?: Uint8Array
  parts?: readonly Part[]
  /** More fields of the UnixFS message, such as the header. */
  more?: Uint8Array
  /** What the node says that its parts hold, if that is not what they do. */
  blockSizes?: readonly number[]
  /** @default 2: a file. Null: the message has none. */
  type?: number | null
  /** The fields of the dag-pb node, from its data and its links. Default: links, then data. */
  order?: (data: Uint8Array, links: Uint8Array[]) => Uint8Array[]
}

/** The blocks of a vector. */
export class Blocks extends MemoryBlockstore {
  readonly #cids = new Map<string, CID>()

  override put (...args: Parameters<MemoryBlockstore['put']>): ReturnType<MemoryBlockstore['put']> {
    this.#cids.set(args[0].toString(), args[0])

    return super.put(...args)
  }

  async store (code: number, bytes: Uint8Array): Promise<CID> {
    const cid = CID.createV1(code, await sha256.digest(bytes))
    await this.put(cid, bytes)

    return cid
  }

  /** Raw leaves of at most so many bytes. */
  async leaves (bytes: Uint8Array, leafSize = 1024 * 1024): Promise<Part[]> {
    const parts: Part[] = []

    for (let start = 0; start < bytes.byteLength; start += leafSize) {
      const leaf = bytes.slice(start, start + leafSize)
      parts.push({ cid: await this.store(raw.code, leaf), size: leaf.byteLength })
    }

    return parts
  }

  /** A node of a UnixFS file. Nothing is checked. */
  async fileNode ({ data, parts = [], more, blockSizes, type = 2, order }: FileNodeInit): Promise<Part> {
    const size = (data?.byteLength ?? 0) + parts.reduce((total, { size }) => total + size, 0)
    const message = Buffer.concat([
      type == null ? new Uint8Array(0) : numberField(1, type),
      data == null ? new Uint8Array(0) : bytesField(2, data),
      numberField(3, size),
      ...(blockSizes ?? parts.map(part => part.size)).map(size => numberField(4, size)),
      more ?? new Uint8Array(0)
    ])

    if (order != null) {
      const links = parts.map(({ cid, size }) => bytesField(2, Buffer.concat([
        bytesField(1, cid.bytes), bytesField(2, new Uint8Array(0)), numberField(3, size)
      ])))

      return { cid: await this.store(dagPb.code, Buffer.concat(order(bytesField(1, message), links))), size }
    }

    const Links = parts.map(({ cid, size }) => ({ Name: '', Hash: cid, Tsize: size }))

    return { cid: await this.store(dagPb.code, dagPb.encode(dagPb.prepare({ Data: message, Links }))), size }
  }

  /** A CAR of all blocks: the root, then the others in the order of their CIDs. */
  async toCar (root: CID): Promise<Uint8Array> {
    const plain = unmark(root).toString()
    const { writer, out } = CarWriter.create([unmark(root)])
    const chunks = Array.fromAsync(out)

    for (const key of [...this.#cids.keys()].toSorted((a, b) => a === plain ? -1 : b === plain ? 1 : a < b ? -1 : 1)) {
      const cid = this.#cids.get(key) as CID
      await writer.put({ cid, bytes: Buffer.concat(await Array.fromAsync(this.get(cid))) })
    }

    await writer.close()

    return Buffer.concat(await chunks)
  }
}

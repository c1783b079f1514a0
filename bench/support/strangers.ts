import * as dagPb from '@ipld/dag-pb'
import { FsBlockstore } from 'blockstore-fs'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import type { Blockstore } from 'interface-blockstore'

const MIB = 1024 * 1024

/** A DAG that is expensive to read. */
export interface Made {
  cid: CID
  /** Bytes of its blocks. */
  stored: number
}

/** Makes DAGs as other tools or attackers would, on an FsBlockstore. */
export class Strangers {
  readonly #blockstore: Blockstore
  #stored = 0

  constructor (directory: string) {
    this.#blockstore = new FsBlockstore(directory)
  }

  /** A file whose 1 MiB leaves are all the same block: dag-pb, as Kubo makes by default, or raw. */
  async file (leaves: number, kind: 'dag-pb' | 'raw'): Promise<Made> {
    const bytes = new Uint8Array(MIB).fill(97)
    const leaf = kind === 'raw' ? await this.#put(raw.code, bytes) : await this.#node({ type: 'file', data: bytes }, [])
    const cid = await this.#node(
      { type: 'file', blockSizes: Array.from({ length: leaves }, () => BigInt(MIB)) },
      Array.from({ length: leaves }, () => ['', leaf])
    )

    return this.#made(cid)
  }

  /** A file whose bytes are each a leaf, below nodes with very many links. */
  async wide (levels: number, width: number): Promise<Made> {
    const leaf = await this.#put(raw.code, Uint8Array.of(97))
    let cid = leaf
    let size = 1

    for (let level = 0; level < levels; level++) {
      cid = await this.#node(
        { type: 'file', blockSizes: [BigInt(size), ...Array.from({ length: width }, () => 1n)] },
        [['', cid], ...Array.from({ length: width }, (): [string, CID] => ['', leaf])]
      )
      size += width
    }

    return this.#made(cid)
  }

  /** A sharded directory of few entries, which links to one large shard many times on each level. */
  async shards (levels: number, width: number): Promise<Made> {
    const directory = {
      type: 'hamt-sharded-directory' as const,
      fanout: 256n,
      hashType: 0x22n,
      data: new Uint8Array(32).fill(0xff)
    }
    const file = await this.#put(raw.code, Uint8Array.of(97))
    const large = await this.#node(directory, Array.from({ length: width }, (_, i) => [`FF${i}`, file]))
    let cid = await this.#node(directory, [['00a', file]])

    for (let level = 0; level < levels; level++) {
      cid = await this.#node(directory, [
        ['00', cid],
        ...Array.from({ length: 7 }, (_, i): [string, CID] => [`0${i + 1}`, large])
      ])
    }

    return this.#made(cid)
  }

  async #node (unixfs: ConstructorParameters<typeof UnixFS>[0], links: Array<[name: string, cid: CID]>): Promise<CID> {
    return this.#put(dagPb.code, dagPb.encode(dagPb.prepare({
      Data: new UnixFS(unixfs).marshal(),
      Links: links.map(([Name, Hash]) => ({ Name, Hash, Tsize: 1 }))
    })))
  }

  async #put (code: number, block: Uint8Array): Promise<CID> {
    const cid = CID.createV1(code, await sha256.digest(block))
    await this.#blockstore.put(cid, block)
    this.#stored += block.byteLength

    return cid
  }

  #made (cid: CID): Made {
    const stored = this.#stored
    this.#stored = 0

    return { cid, stored }
  }
}

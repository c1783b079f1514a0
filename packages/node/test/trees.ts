import * as dagPb from '@ipld/dag-pb'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import type { SmallFiles } from '../src/tree/small-files.ts'
import type { Ipfsz } from '@ipfsz/core'

interface Metadata { mode?: number, mtime?: { secs: bigint } }

/** Leaves all files to the ordinary way, as for blocks that no thread can read. */
export const leavesAll: Pick<SmallFiles, 'run'> = {
  run: async (_, entries) => entries.map(() => ({ type: 'left' }))
}

/** A store of directories that are made link by link, as an attacker would. */
export class Trees {
  readonly blockstore = new MemoryBlockstore()
  readonly files: Ipfsz = ipfsz({ blockstore: this.blockstore })

  async file (text: string): Promise<CID> {
    return this.#put(raw.code, Buffer.from(text))
  }

  async symlink (target: string, { mtime }: Pick<Metadata, 'mtime'> = {}): Promise<CID> {
    const node = new UnixFS({ type: 'symlink', data: Buffer.from(target), mtime })

    return this.#put(dagPb.code, dagPb.encode(dagPb.prepare({ Data: node.marshal() })))
  }

  async directory (entries: Record<string, CID>, metadata: Metadata = {}): Promise<CID> {
    const Links = Object.entries(entries).map(([Name, Hash]) => ({ Name, Hash, Tsize: 10 }))

    return this.#put(dagPb.code, dagPb.encode(dagPb.prepare({
      Data: new UnixFS({ type: 'directory', ...metadata }).marshal(),
      Links: Links.toSorted((a, b) => a.Name < b.Name ? -1 : 1)
    })))
  }

  /** A file in directories that are `depth` levels deep, and have 2 to the power of that many paths to it. */
  async doubled (text: string, depth: number): Promise<CID> {
    let cid = await this.directory({ file: await this.file(text) })

    for (let level = 1; level < depth; level++) {
      cid = await this.directory({ a: cid, b: cid })
    }

    return cid
  }

  async #put (code: number, bytes: Uint8Array): Promise<CID> {
    const cid = CID.createV1(code, await sha256.digest(bytes))
    await this.blockstore.put(cid, bytes)

    return cid
  }
}

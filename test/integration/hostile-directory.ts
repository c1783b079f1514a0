import { encode, prepare } from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { withBlocks } from '../support/stored-blocks.ts'
import type { PBLink } from '@ipld/dag-pb'

/** Writes blocks that no importer makes into an existing repo. */
export class HostileRepo {
  readonly #repo: string

  constructor (repo: string) {
    this.#repo = repo
  }

  async file (text: string): Promise<CID> {
    return this.#put(raw.code, new TextEncoder().encode(text))
  }

  async symlink (link: string): Promise<CID> {
    return this.node(new UnixFS({ type: 'symlink', data: new TextEncoder().encode(link) }), [])
  }

  async node (unixfs: UnixFS, children: ReadonlyArray<readonly [string, CID]>): Promise<CID> {
    return this.#put(
      0x70,
      encode(prepare({ Data: unixfs.marshal(), Links: children.map(([Name, Hash]) => ({ Name, Hash, Tsize: 1 })) }))
    )
  }

  async directory (entries: ReadonlyArray<readonly [string, CID]>): Promise<CID> {
    const links = entries.map(([Name, Hash]): PBLink => ({ Name, Hash, Tsize: 1 }))

    return this.#put(
      0x70,
      encode({
        Data: new UnixFS({ type: 'directory' }).marshal(),
        Links: links.toSorted((a, b) => Buffer.compare(Buffer.from(a.Name ?? ''), Buffer.from(b.Name ?? '')))
      })
    )
  }

  async #put (code: number, block: Uint8Array): Promise<CID> {
    const cid = CID.createV1(code, await sha256.digest(block))
    await withBlocks(this.#repo, async blockstore => blockstore.put(cid, block))

    return cid
  }
}

import { basename } from 'node:path'
import { base32upper } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import type { ShardingStrategy } from 'blockstore-fs/sharding'

/** How Kubo names the files of blocks: `/repo/flatfs/shard/v1/next-to-last/2`, without the multibase prefix. */
export class FlatfsNames implements ShardingStrategy {
  readonly extension = '.data'

  encode ({ multihash }: CID): { dir: string, file: string } {
    const name = base32upper.baseEncode(multihash.bytes)

    return { dir: name.slice(-3, -1), file: `${name}${this.extension}` }
  }

  decode (path: string): CID {
    return CID.createV1(raw.code, Digest.decode(base32upper.baseDecode(basename(path, this.extension))))
  }
}

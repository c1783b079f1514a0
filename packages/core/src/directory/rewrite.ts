import { concat } from '@ipfsz/utils/bytes'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { raceSignal } from 'race-signal'
import { InvalidDagError, notUnixFS } from '../errors.ts'
import { HEADER_FIELD } from '../format/header.ts'
import { BYTES, bytesField, readFields, VARINT } from '../format/protobuf.ts'
import { marshal } from '../dag/marshal.ts'
import { decodeNode } from '../dag/node.ts'
import type { GetBlockOptions, PutStore } from '../dag/block.ts'
import type { Metadata } from '../dag/file-block.ts'
import type { PBLink } from '@ipld/dag-pb'

/** The field of the UnixFS message that names the hash function of a sharded directory. */
const HASH_TYPE_FIELD = 5

/** A node with new metadata: its UnixFS message, and its unchanged links. */
export interface Rewritten {
  data: Uint8Array
  links: Iterable<PBLink>
}

export interface WrittenNode {
  cid: CID
  /** Bytes of all blocks below it, its own included. */
  dagSize: number
}

/**
 * Change the mode or mtime in a root. A raw block becomes a UnixFS file, as in Helia.
 *
 * ipfs-unixfs drops two fields, which are put back: the header of a compressed file, and the
 * hash function of a sharded directory, without which Kubo refuses the directory. So a
 * sharded directory gets another CID here than in Helia.
 *
 * @throws {NotUnixFSError}
 */
export function rewriteRoot (cid: CID, block: Uint8Array, metadata: Metadata): Rewritten {
  if (cid.code === raw.code) {
    return { data: withMetadata(new UnixFS({ type: 'file', data: block }), metadata), links: [] }
  }

  if (cid.code !== dagPb.code) {
    throw notUnixFS(cid)
  }

  const { data, unixfs, links } = decodeNode(cid, block)
  const kept = [...readFields(data)]
  const hashType = kept.find(field => field.number === HASH_TYPE_FIELD && field.type === VARINT)

  if (hashType != null) {
    unixfs.hashType = BigInt(hashType.value)
  }

  const headers = kept.filter(field => field.number === HEADER_FIELD && field.type === BYTES)

  return {
    data: concat([withMetadata(unixfs, metadata), ...headers.map(field => bytesField(HEADER_FIELD, field.bytes))]),
    links
  }
}

/** Write a rewritten node. Its CID has the given version. */
export async function writeRewritten (
  rewritten: Rewritten,
  version: CID['version'],
  blockstore: PutStore,
  options: GetBlockOptions
): Promise<WrittenNode> {
  const links = [...rewritten.links]
  const below = links.reduce((size, link) => size + (link.Tsize ?? 0), 0)

  const block = dagPb.encode(dagPb.prepare({ Data: rewritten.data, Links: links }))
  const cid = CID.create(version, dagPb.code, await sha256.digest(block))

  if (below + block.byteLength > Number.MAX_SAFE_INTEGER) {
    throw new InvalidDagError(cid, 'has more than 2^53 bytes below it')
  }

  const written = blockstore.put(cid, block, options as Parameters<PutStore['put']>[2])
  await raceSignal(Promise.resolve(written), options.signal)

  return { cid, dagSize: below + block.byteLength }
}

function withMetadata (unixfs: UnixFS, { mode, mtime }: Metadata): Uint8Array {
  if (mode != null) {
    unixfs.mode = mode
  }

  if (mtime != null) {
    unixfs.mtime = mtime
  }

  return marshal(unixfs)
}

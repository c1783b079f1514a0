import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { varint } from 'multiformats'
import { keyIn, placeText, readRow } from '../format/entry.ts'
import { keyOf } from '../format/key.ts'
import { allEntries } from './all-entries.ts'
import { liveRows } from './live-rows.ts'
import { withPlaces } from './look-up.ts'
import { readContents } from './read-groups.ts'
import type { View } from './view.ts'
import type { Row } from '../format/entry.ts'
import type { BlockReader } from '../pack/block-reader.ts'
import type { PackFiles } from '../pack/pack-files.ts'
import type { MultihashDigest } from 'multiformats'

/** Bytes of a multihash that are looked for before a block. */
const MAX_MULTIHASH = 256

interface ListedBlock {
  cid: CID
  row: Row
}

/** All blocks, sorted by key. */
export async function * listByKey (view: View, reader: BlockReader): AsyncGenerator<ListedBlock> {
  for await (const group of allEntries(view)) {
    const rows = group.map(({ entry, packs }) => readRow(entry, 0, packs))
    const [{ entry }] = group
    const key = keyIn(entry)
    // a pack that was repacked since the listing began: the block is in another one now
    const isMoved = rows.some(({ pack, deleted }) => !deleted && !view.packs.has(pack))
    const [row] = isMoved ? await view.find(key) : liveRows(rows, view.packs)

    if (row != null) {
      const multihash = key.kind === 0
        ? Digest.create(sha256.code, key.bytes)
        : await multihashBefore(reader, row, key.bytes)

      if (multihash != null) {
        yield { cid: CID.createV1(raw.code, multihash), row }
      }
    }
  }
}

/** All blocks in the order of the packs, with the CIDs that they were put with. */
export async function * listByPack (view: View, files: PackFiles): AsyncGenerator<ListedBlock> {
  for (const id of Array.from(view.packs.keys()).toSorted()) {
    if (view.packs.has(id)) {
      const { blocks } = await readContents(files, id)

      for await (const slice of withPlaces(blocks, key => view.find(key))) {
        for (const { block, rows: [row] } of slice) {
          // one that is in several places is listed once
          if (row != null && placeText(row) === placeText(block.row)) {
            yield block
          }
        }
      }
    }
  }
}

/** The multihash that ends where a block begins, and has this key. */
async function multihashBefore (reader: BlockReader, row: Row, key: Uint8Array): Promise<MultihashDigest | undefined> {
  const length = Math.min(row.start, MAX_MULTIHASH)
  const bytes = await reader.readPart(row, row.start - length, row.start)

  for (let start = bytes.byteLength - 2; start >= 0; start--) {
    const multihash = decodeMultihash(bytes.subarray(start))

    if (multihash != null && Buffer.compare(keyOf(multihash).bytes, key) === 0) {
      return multihash
    }
  }

  return undefined
}

function decodeMultihash (bytes: Uint8Array): MultihashDigest | undefined {
  try {
    const [, code] = varint.decode(bytes)
    const [size, length] = varint.decode(bytes, code)

    return code + length + size === bytes.byteLength ? Digest.decode(Uint8Array.from(bytes)) : undefined
  } catch {
    return undefined
  }
}

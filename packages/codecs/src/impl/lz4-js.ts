import lz4 from 'lz4js'
import { decodeLz4Frame, encodeLz4Frame } from '../format/lz4-frame.ts'

/** lz4js's hash table has 2^16 entries. */
const HASH_TABLE_SIZE = 1 << 16

export function compress (bytes: Uint8Array): Uint8Array {
  const hashTable = new Uint32Array(HASH_TABLE_SIZE)

  return encodeLz4Frame(bytes, (block, target) => {
    hashTable.fill(0)

    return lz4.compressBlock(block, target, 0, block.byteLength, hashTable)
  })
}

export const decompress = decodeLz4Frame

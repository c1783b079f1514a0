import { allCodecs } from '@ipfsz/codecs/all'
import { CompressedBlockstore as WithCodecs } from './compressed-blockstore.ts'
import type { CompressedBlockstoreInit } from './init.ts'
import type { Blockstore } from 'interface-blockstore'

/**
 * Compresses blocks before it puts them into an inner blockstore, and decompresses them on
 * the way out. CIDs stay the same. It can read and write with every codec, unless it is given some.
 */
export class CompressedBlockstore extends WithCodecs {
  /**
   * @param inner - stores the compressed blocks. Blocks that it has already stay readable
   * @throws {InvalidParametersError}
   * @throws {InvalidLevelError}
   * @throws {UnknownCodecError}
   */
  constructor (inner: Blockstore, { codecs = allCodecs(), ...init }: CompressedBlockstoreInit = {}) {
    super(inner, { ...init, codecs })
  }
}

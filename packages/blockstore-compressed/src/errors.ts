import { NamedError } from '@ipfsz/utils/named-error'
import type { CID } from 'multiformats/cid'

export { InvalidLevelError, UnknownCodecError } from '@ipfsz/codecs'
export { CorruptBlockError, DigestLengthError, UnknownHashError } from '@ipfsz/utils/errors'
/** Of the blockstores' family. `@ipfsz/core` has Helia's class of the same name, which Helia's own verbs throw too. */
export { InvalidParametersError } from '@libp2p/interface'

/** Thrown when a block exceeds `maxBlockSize`, or its envelope says so. */
export class BlockTooLargeError extends NamedError {
  static override readonly name = 'BlockTooLargeError'
  readonly cid: CID
  /** In bytes. Of a stream, the bytes read until the limit was exceeded. */
  readonly size: number
  readonly max: number

  constructor (cid: CID, size: number, max: number) {
    super(`The block ${cid} has at least ${size} bytes, which exceeds the maxBlockSize of ${max}`)
    this.cid = cid
    this.size = size
    this.max = max
  }
}

/**
 * Thrown when a block is stored with a codec that is not in `codecs`, or that a later version of the format added.
 * UnknownCodecError, in contrast, is thrown only for arguments, before any block is read.
 */
export class UnsupportedCodecError extends NamedError {
  static override readonly name = 'UnsupportedCodecError'
  readonly cid: CID
  /** The marker code. */
  readonly code: number

  constructor (cid: CID, code: number, known: readonly string[]) {
    super(`The block ${cid} is stored with the codec 0x${code.toString(16)}, but this store has only ${
      known.join(', ')}: pass the codec in \`codecs\``)
    this.cid = cid
    this.code = code
  }
}

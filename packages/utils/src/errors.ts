/**
 * Failures that more than one package of IPFSz has. `@ipfsz/core` and
 * `@ipfsz/blockstore-compressed` throw these classes and export them.
 *
 * A failure of one package only has its class in that package. Failures of codecs are in
 * `@ipfsz/codecs`, which knows nothing of CIDs.
 *
 * @packageDocumentation
 */
import { NamedError } from './named-error.ts'
import type { CID } from 'multiformats/cid'

/** Thrown when the bytes of a block do not match its CID, or cannot be decoded to a block at all. */
export class CorruptBlockError extends NamedError {
  static override readonly name = 'CorruptBlockError'
  readonly cid: CID
  /** What is wrong with the block. */
  readonly reason: string
  /** The program that sent it. Undefined: it was stored. */
  readonly sender: string | undefined

  /** @param init - `reason` continues the sentence "The block CID is corrupt: ". */
  constructor (
    cid: CID,
    { reason = 'its bytes do not match its hash', sender, ...options }: CorruptBlockErrorInit = {}
  ) {
    super(`The block ${cid} ${sender == null ? '' : `from ${sender} `}is corrupt: ${reason}`, options)
    this.cid = cid
    this.reason = reason
    this.sender = sender
  }
}

export interface CorruptBlockErrorInit extends ErrorOptions {
  /** @default 'its bytes do not match its hash' */
  reason?: string
  sender?: string | undefined
}

/** Thrown when no hasher is known for a CID, so its block cannot be verified. */
export class UnknownHashError extends NamedError {
  static override readonly name = 'UnknownHashError'
  readonly cid: CID
  /** The multicodec of the hash function. */
  readonly code: number

  /** @param advice - what the caller can do about it, if anything */
  constructor (cid: CID, advice?: string) {
    const { code } = cid.multihash

    super(`Cannot verify the block ${cid}: its hash function 0x${code.toString(16)} is not supported${
      advice == null ? '' : `. ${advice}`}`)
    this.cid = cid
    this.code = code
  }
}

/** Thrown when a digest is too short to identify a block, or an identity CID is too long for other nodes. */
export class DigestLengthError extends NamedError {
  static override readonly name = 'DigestLengthError'
  readonly cid: CID
  /** Bytes of the digest. */
  readonly length: number

  /** @param bound - ends the sentence "its digest has 4 bytes, ", as "fewer than 20" does */
  constructor (cid: CID, bound: string) {
    const length = cid.multihash.digest.byteLength

    // an identity CID can be of any length: the first 80 characters identify it well enough
    super(`The CID ${cid.toString().slice(0, 80)} is not accepted: its digest has ${length} bytes, ${bound}`)
    this.cid = cid
    this.length = length
  }
}

/** Thrown when a file cannot be locked: it cannot be opened, or its file system has no locks. */
export class FileLockError extends NamedError {
  static override readonly name = 'FileLockError'
  readonly path: string

  constructor (path: string, reason: string, options?: ErrorOptions) {
    super(
      `Cannot lock the file ${path}: ${reason}. Check its permissions, and that its file system supports locks`,
      options
    )
    this.path = path
  }
}

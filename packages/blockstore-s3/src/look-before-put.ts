import { createHash } from 'node:crypto'
import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { LEAST_LOOKED_FOR, MAX_MISSES, MAX_TO_SEND, SAMPLE } from './constants.ts'
import { S3ResponseError } from './errors.ts'
import type { S3Options } from './contract.ts'
import type { S3Objects } from './s3-objects.ts'

/**
 * Finds out whether a block is in the store before it is sent. A large one is always looked for. To look for a small
 * one takes as long as to send it, and costs a twelfth: it pays if the block is there. Whoever adds a tree again has
 * most of its blocks there, whoever adds a new one has none. So one small block in 16 is looked for, and once one is
 * found all are, until four in a row are not there.
 *
 * What the store has just missed is not looked for again: Helia asks for each block before it puts it, and what was
 * fetched was missed before. If another node has put it since, it is sent twice. Nor is what was read before it is put:
 * its reader has found it damaged, and a store whose disk has damaged it still names the MD5 of what was sent.
 */
export class LookBeforePut {
  readonly #objects: Pick<S3Objects, 'stat'>
  /** Small blocks so far. */
  #count = 0
  /** How many of the small blocks that were looked for last were not there. */
  #misses = Infinity
  /** Keys of objects that the store did not have when it was asked last, or that were read. Each is for one put. */
  readonly #toSend = new Set<string>()

  constructor (objects: Pick<S3Objects, 'stat'>) {
    this.#objects = objects
  }

  /** Whether the store has an object, with whatever bytes. */
  async has (key: string, signal: S3Options['signal']): Promise<boolean> {
    const isThere = await this.#objects.stat(key, { signal }) != null

    if (!isThere) {
      this.asked(key)
    }

    return isThere
  }

  /** An object is read: whoever puts it after that has found it missing or damaged. */
  asked (key: string): void {
    this.#toSend.delete(key)
    this.#toSend.add(key)

    forgetOldest(this.#toSend, MAX_TO_SEND)
  }

  /** An object was stored: what was missed while it was on its way is there now. */
  stored (key: string): void {
    this.#toSend.delete(key)
  }

  /** Whether the store is known to have an object with these bytes. */
  async isThere (key: string, bytes: Uint8Array, signal: S3Options['signal']): Promise<boolean> {
    if (this.#toSend.delete(key)) {
      return false
    }

    if (bytes.byteLength >= LEAST_LOOKED_FOR) {
      return this.#hasSame(key, bytes, signal)
    }

    // counted before the answer: others are put meanwhile
    const isSample = this.#count++ % SAMPLE === 0

    if (!isSample && this.#misses >= MAX_MISSES) {
      return false
    }

    const isThere = await this.#hasSame(key, bytes, signal)
    this.#misses = isThere ? 0 : this.#misses + 1

    return isThere
  }

  /** Whether the store has these bytes. If it refuses to tell, they are stored again. */
  async #hasSame (key: string, bytes: Uint8Array, signal: S3Options['signal']): Promise<boolean> {
    const found = await this.#objects.stat(key, { signal }).catch((err: unknown) => {
      if (!(err instanceof S3ResponseError)) {
        throw err
      }
    })

    return found?.size === bytes.byteLength && found.etag === `"${createHash('md5').update(bytes).digest('hex')}"`
  }
}

import { CID } from 'multiformats/cid'

/** Bytes of a CID with a sha2-256 hash. */
const USUAL_SIZE = 36

/** A list of CIDs, stored as bytes: CID objects take ten times as much memory. */
export class CidList {
  length = 0
  #bytes: Uint8Array
  /** Where each CID ends. */
  readonly #ends: Uint32Array

  /** @param capacity - maximum CIDs it can hold */
  constructor (capacity: number) {
    this.#ends = new Uint32Array(capacity)
    this.#bytes = new Uint8Array(Math.min(capacity, 1024) * USUAL_SIZE)
  }

  get byteLength (): number {
    return this.#bytes.byteLength + this.#ends.byteLength
  }

  push (cid: CID): void {
    const start = this.#start(this.length)
    const end = start + cid.bytes.byteLength

    if (end > this.#bytes.byteLength) {
      const bytes = new Uint8Array(end * 2)
      bytes.set(this.#bytes)
      this.#bytes = bytes
    }

    this.#bytes.set(cid.bytes, start)
    this.#ends[this.length++] = end
  }

  at (index: number): CID {
    // a copy, so that keeping this CID does not keep the whole list in memory
    return CID.decode(this.#bytes.slice(this.#start(index), this.#ends[index]))
  }

  #start (index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]
  }
}

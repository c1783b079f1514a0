const FIRST_SIZE = 256
/** The most bits that are written at a time: with the seven that wait they fit into 31. */
const MAX_BITS = 24

/** Writes streams of bits that are read from their end, and ones that are read forward (RFC 8878, section 4.1). */
export class BitWriter {
  #bytes = new Uint8Array(FIRST_SIZE)
  #length = 0
  #waiting = 0
  #waitingBits = 0

  /** Write up to 32 bits of a number. */
  write (value: number, bits: number): void {
    if (bits > MAX_BITS) {
      this.write(value & 0xffff, 16)
      value >>>= 16
      bits -= 16
    }

    this.#waiting |= (value & (1 << bits) - 1) << this.#waitingBits
    this.#waitingBits += bits

    for (; this.#waitingBits >= 8; this.#waitingBits -= 8) {
      this.#push(this.#waiting & 0xff)
      this.#waiting >>>= 8
    }
  }

  /** Fill the last byte with zeros. */
  pad (): void {
    if (this.#waitingBits > 0) {
      this.write(0, 8 - this.#waitingBits)
    }
  }

  /** End a stream that is read from its end: a one marks that. */
  close (): void {
    this.write(1, 1)
    this.pad()
  }

  /** What was written. It stays valid until more is. */
  get bytes (): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #push (byte: number): void {
    if (this.#length === this.#bytes.byteLength) {
      const larger = new Uint8Array(2 * this.#length)
      larger.set(this.#bytes)
      this.#bytes = larger
    }

    this.#bytes[this.#length++] = byte
  }
}

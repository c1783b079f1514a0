/** The primes of XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). RFC 8878, section 3.1.1, uses it. */
const PRIMES = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n
] as const
const [PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5] = PRIMES
const [LOW_1, HIGH_1] = halves(PRIME_1)
const [LOW_2, HIGH_2] = halves(PRIME_2)
const STRIPE = 32
const SEEDS = [PRIME_1 + PRIME_2, PRIME_2, 0n, -PRIME_1]
const ROTATIONS = [1n, 7n, 12n, 18n]

/** The lower 32 bits of XXH64 with the seed 0. */
export function xxh64Low (bytes: Uint8Array): number {
  const hash = new Xxh64()
  hash.update(bytes)

  return hash.digestLow()
}

/** Incremental XXH64 with the seed 0. */
export class Xxh64 {
  #lanes = SEEDS.map(wrap)
  /** Bytes that do not fill a step yet. */
  readonly #rest = new Uint8Array(STRIPE)
  #filled = 0
  #length = 0

  update (bytes: Uint8Array): void {
    let start = 0
    this.#length += bytes.byteLength

    if (this.#filled > 0) {
      start = Math.min(STRIPE - this.#filled, bytes.byteLength)
      this.#rest.set(bytes.subarray(0, start), this.#filled)
      this.#filled += start

      if (this.#filled < STRIPE) {
        return
      }

      this.#hash(this.#rest, 0, STRIPE)
    }

    const end = bytes.byteLength - (bytes.byteLength - start) % STRIPE
    this.#hash(bytes, start, end)
    this.#rest.set(bytes.subarray(end))
    this.#filled = bytes.byteLength - end
  }

  digestLow (): number {
    const view = new DataView(this.#rest.buffer)
    let hash = wrap((this.#length < STRIPE ? PRIME_5 : joinLanes(this.#lanes)) + BigInt(this.#length))
    let position = 0

    for (; position + 8 <= this.#filled; position += 8) {
      hash = wrap(rotate(hash ^ round(view.getBigUint64(position, true)), 27n) * PRIME_1 + PRIME_4)
    }

    if (position + 4 <= this.#filled) {
      hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint32(position, true)) * PRIME_1), 23n) * PRIME_2 + PRIME_3)
      position += 4
    }

    for (; position < this.#filled; position++) {
      hash = wrap(rotate(hash ^ wrap(BigInt(this.#rest[position]) * PRIME_5), 11n) * PRIME_1)
    }

    hash = wrap((hash ^ hash >> 33n) * PRIME_2)
    hash = wrap((hash ^ hash >> 29n) * PRIME_3)

    return Number((hash ^ hash >> 32n) & 0xffffffffn)
  }

  #hash (bytes: Uint8Array, start: number, end: number): void {
    if (start < end) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      this.#lanes = this.#lanes.map((lane, i) => hashLane(view, start + i * 8, end, lane))
    }
  }
}

function joinLanes (lanes: readonly bigint[]): bigint {
  let hash = lanes.reduce((sum, lane, i) => wrap(sum + rotate(lane, ROTATIONS[i])), 0n)

  for (const lane of lanes) {
    hash = wrap((hash ^ round(lane)) * PRIME_1 + PRIME_4)
  }

  return hash
}

/** The hot loop: updates one of the four 64-bit lanes, in 32-bit halves. BigInt takes fifty times as long. */
function hashLane (view: DataView, position: number, end: number, seed: bigint): bigint {
  let [low, high] = halves(seed)

  for (; position < end; position += STRIPE) {
    // lane += input * PRIME_2
    const inputLow = view.getInt32(position, true)
    const inputHigh = view.getInt32(position + 4, true)
    const productLow = Math.imul(inputLow, LOW_2)
    const productHigh =
      multiplyHigh(inputLow, LOW_2) + Math.imul(inputLow, HIGH_2) + Math.imul(inputHigh, LOW_2) | 0
    const sumLow = low + productLow | 0
    const sumHigh = high + productHigh + (sumLow >>> 0 < productLow >>> 0 ? 1 : 0) | 0
    // rotate left by 31 bits
    const rotatedLow = sumLow << 31 | sumHigh >>> 1
    const rotatedHigh = sumHigh << 31 | sumLow >>> 1
    // lane *= PRIME_1
    low = Math.imul(rotatedLow, LOW_1)
    high = multiplyHigh(rotatedLow, LOW_1) + Math.imul(rotatedLow, HIGH_1) + Math.imul(rotatedHigh, LOW_1) | 0
  }

  return BigInt(high >>> 0) << 32n | BigInt(low >>> 0)
}

/** The upper 32 bits of the product of two unsigned 32-bit numbers. */
function multiplyHigh (a: number, b: number): number {
  const aLow = a & 0xffff
  const aHigh = a >>> 16
  const bLow = b & 0xffff
  const bHigh = b >>> 16
  // neither sum reaches 2 ** 32
  const middle = (Math.imul(aHigh, bLow) >>> 0) + (Math.imul(aLow, bLow) >>> 16) >>> 0
  const other = (Math.imul(aLow, bHigh) >>> 0) + (middle & 0xffff) >>> 0

  return Math.imul(aHigh, bHigh) + (middle >>> 16) + (other >>> 16) | 0
}

function round (input: bigint): bigint {
  return wrap(rotate(wrap(input * PRIME_2), 31n) * PRIME_1)
}

function rotate (value: bigint, bits: bigint): bigint {
  return wrap(value << bits) | value >> 64n - bits
}

function wrap (value: bigint): bigint {
  return BigInt.asUintN(64, value)
}

/** The lower and the upper 32 bits. */
function halves (value: bigint): [number, number] {
  return [Number(value & 0xffffffffn) | 0, Number(value >> 32n) | 0]
}

/**
 * The gear hash: `hash = (hash << 1) + GEAR[byte]`, in 32 bits. A byte leaves it after 32 more,
 * so the hash depends on the last 32 bytes alone, and its highest bits on all of them.
 *
 * Source: W. Xia et al., "Ddelta: a deduplication-inspired fast delta compression approach", 2014.
 */

/** How many bytes the hash depends on. */
export const GEAR_WINDOW = 32

/** Where the table's numbers begin. Another seed would cut all files in other places. */
const SEED = 0x49504653

/** A random number for each byte. */
export const GEAR: Int32Array = /* @__PURE__ */ makeTable(SEED)

/** A mask of the highest `bits` of a hash. They are all zero once in 2^bits positions. */
export function gearMask (bits: number): number {
  return bits === 0 ? 0 : -1 << (32 - bits)
}

/** SplitMix32, which needs no more than a seed. */
function makeTable (seed: number): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => mix(seed + Math.imul(byte + 1, 0x9e3779b9)))
}

/** Spread the bits of a number over all 32: the last step of MurmurHash3. */
export function mix (value: number): number {
  let bits = value
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)

  return (bits ^ (bits >>> 16)) | 0
}

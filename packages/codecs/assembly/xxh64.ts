import { all } from './memory'

/** The primes of XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). RFC 8878, section 3.1.1, uses it. */
export const PRIME_1: u64 = 0x9e3779b185ebca87
export const PRIME_2: u64 = 0xc2b2ae3d27d4eb4f
export const PRIME_3: u64 = 0x165667b19e3779f9
const PRIME_4: u64 = 0x85ebca77c2b2ae63
const PRIME_5: u64 = 0x27d4eb2f165667c5
const STRIPE: usize = 32

/** The lower 32 bits of the XXH64 of bytes, with the seed 0. */
export function xxh64Low (start: i32, length: i32): u32 {
  let at = all + start
  const end = at + length
  let hash = PRIME_5

  if (length >= i32(STRIPE)) {
    let a = PRIME_1 + PRIME_2
    let b = PRIME_2
    let c: u64 = 0
    let d = 0 - PRIME_1

    for (; at + STRIPE <= end; at += STRIPE) {
      a = round(a, load<u64>(at))
      b = round(b, load<u64>(at, 8))
      c = round(c, load<u64>(at, 16))
      d = round(d, load<u64>(at, 24))
    }

    hash = rotl(a, 1) + rotl(b, 7) + rotl(c, 12) + rotl(d, 18)
    hash = merge(merge(merge(merge(hash, a), b), c), d)
  }

  hash += u64(length)

  for (; at + 8 <= end; at += 8) {
    hash = rotl(hash ^ round(0, load<u64>(at)), 27) * PRIME_1 + PRIME_4
  }

  if (at + 4 <= end) {
    hash = rotl(hash ^ u64(load<u32>(at)) * PRIME_1, 23) * PRIME_2 + PRIME_3
    at += 4
  }

  for (; at < end; at++) {
    hash = rotl(hash ^ u64(load<u8>(at)) * PRIME_5, 11) * PRIME_1
  }

  hash = (hash ^ (hash >>> 33)) * PRIME_2
  hash = (hash ^ (hash >>> 29)) * PRIME_3

  return u32(hash ^ (hash >>> 32))
}

function round (lane: u64, bytes: u64): u64 {
  return rotl(lane + bytes * PRIME_2, 31) * PRIME_1
}

function merge (hash: u64, lane: u64): u64 {
  return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4
}

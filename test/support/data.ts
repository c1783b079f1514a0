/** Bytes that compress about as well as text: words of a small vocabulary, from a seed. */
export function text (length: number, seed = 1): Uint8Array {
  const next = random(seed)
  const words = Array.from({ length: 256 }, () => Array.from({ length: 2 + next() % 9 }, () => 97 + next() % 26))
  const bytes = new Uint8Array(length)

  for (let i = 0; i < length;) {
    for (const letter of words[next() % words.length]) {
      bytes[i++] = letter
    }
    bytes[i++] = next() % 16 === 0 ? 10 : 32
  }

  return bytes
}

/** Bytes that do not compress. */
export function noise (length: number, seed = 1): Uint8Array {
  const next = random(seed)

  return Uint8Array.from({ length }, () => next() & 0xff)
}

/** xorshift32: numbers that look random and are the same every time. */
export function random (seed: number): () => number {
  let state = seed

  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5

    return state >>> 8
  }
}

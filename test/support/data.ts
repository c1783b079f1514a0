const MIB = 1024 * 1024

/** The number of different pieces of 1 MiB in a long text: more than a frame holds. */
const PIECES = 16

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
  const bytes = new Uint8Array(length)

  // Uint8Array.from takes ten times as long, and tests need hundreds of megabytes
  for (let i = 0; i < length; i++) {
    bytes[i] = next()
  }

  return bytes
}

/** Those that were needed so far: making all takes a tenth of a second, and many tests need one. */
const pieces: Uint8Array[] = []

/** Endless text, 1 MiB at a time. No two pieces are the same, even with different seeds. */
export function * textPieces (seed = 1): Generator<Uint8Array> {
  for (let number = 0; ; number++) {
    const i = number % PIECES
    const piece = (pieces[i] ??= text(MIB, i + 1)).slice()
    piece.set(Buffer.from(`${seed} ${number}\n`))
    yield piece
  }
}

/** Like `text`, but fast enough for a hundred megabytes. */
export function longText (length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  let filled = 0

  for (const piece of textPieces(seed)) {
    bytes.set(piece.subarray(0, length - filled), filled)
    filled += piece.byteLength

    if (filled >= length) {
      break
    }
  }

  return bytes
}

/** Whether the bytes are the same. Far faster than the matchers on millions of bytes. */
export function same (a: Uint8Array, b: Uint8Array): boolean {
  if (a.byteLength !== b.byteLength) {
    return false
  }

  for (let i = 0; i < a.byteLength; i++) {
    if (a[i] !== b[i]) {
      return false
    }
  }

  return true
}

/** xorshift32: pseudo-random numbers, the same for the same seed. */
export function random (seed: number): () => number {
  let state = seed

  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5

    return state >>> 8
  }
}

import { BitWriter } from './zstd-bit-writer.ts'
import { DIRECT, MAX_BITS, MAX_WEIGHTS_ACCURACY } from './zstd-constants.ts'
import { createFseEncoder, FseState, normalize, writeFseDescription } from './zstd-fse-encode.ts'

/** The most weights that are listed as they are. */
const MAX_DIRECT = 128

/** A Huffman code for literals. */
export interface HuffmanEncoder {
  /** The length of each symbol's code. 0: the symbol does not occur. */
  readonly lengths: Uint8Array
  readonly codes: Uint16Array
  /** The tree as it is described in a frame (RFC 8878, section 4.2.1). */
  readonly description: Uint8Array
}

/**
 * Build a code.
 *
 * @param counts - how often each of the 256 symbols occurs
 * @returns undefined if fewer than two symbols occur, or the tree cannot be described
 */
export function createHuffmanEncoder (counts: Uint32Array): HuffmanEncoder | undefined {
  const lengths = codeLengths(counts)

  if (lengths == null) {
    return undefined
  }

  const longest = Math.max(...lengths)
  const last = lengths.findLastIndex(length => length > 0)
  const weights = Array.from(lengths.subarray(0, last), length => length === 0 ? 0 : longest + 1 - length)
  const description = describe(weights)

  return description && { lengths, codes: codesOf(lengths, longest), description }
}

/** The bits that symbols take. Infinity: one of them has no code. */
export function huffmanCost (counts: Uint32Array, { lengths }: HuffmanEncoder): number {
  let bits = 0

  for (let symbol = 0; symbol < counts.length; symbol++) {
    if (counts[symbol] > 0) {
      bits += lengths[symbol] === 0 ? Infinity : counts[symbol] * lengths[symbol]
    }
  }

  return bits
}

/** Encode a stream, from its last symbol to its first. */
export function encodeStream ({ lengths, codes }: HuffmanEncoder, literals: Uint8Array): Uint8Array {
  const writer = new BitWriter()

  for (let i = literals.byteLength - 1; i >= 0; i--) {
    writer.write(codes[literals[i]], lengths[literals[i]])
  }

  writer.close()

  return writer.bytes
}

/** The lengths of the codes, the rarest symbols first. */
function codeLengths (counts: Uint32Array): Uint8Array | undefined {
  const symbols = Array.from(counts.keys())
    .filter(symbol => counts[symbol] > 0)
    .toSorted((a, b) => counts[a] - counts[b])

  if (symbols.length < 2) {
    return undefined
  }

  const depths = treeDepths(symbols.map(symbol => counts[symbol]))
  const lengths = new Uint8Array(counts.length)

  for (const [i, depth] of limitDepths(depths).entries()) {
    lengths[symbols[i]] = depth
  }

  return lengths
}

/** How deep each leaf of a Huffman tree is. The counts ascend, so the depths descend. */
function treeDepths (counts: readonly number[]): number[] {
  const { length } = counts
  const nodes = [...counts]
  const parents: number[] = []
  let leaf = 0
  let inner = length

  // the next rarest is a leaf, or one of the inner nodes, which are made in ascending order
  const next = (): number => leaf < length && (inner >= nodes.length || nodes[leaf] <= nodes[inner]) ? leaf++ : inner++

  while (nodes.length < 2 * length - 1) {
    const [one, other] = [next(), next()]
    parents[one] = parents[other] = nodes.length
    nodes.push(nodes[one] + nodes[other])
  }

  const depths: number[] = []
  depths[nodes.length - 1] = 0

  for (let node = nodes.length - 2; node >= 0; node--) {
    depths[node] = depths[parents[node]] + 1
  }

  return depths.slice(0, length)
}

/** Make all depths at most {@link MAX_BITS}, so that they still are those of a whole tree. */
function limitDepths (depths: readonly number[]): number[] {
  const limited = depths.map(depth => Math.min(depth, MAX_BITS))
  // in units of the deepest leaf. More than there is room for: then the rarest that can go deeper do
  let excess = limited.reduce((sum, depth) => sum + 2 ** (MAX_BITS - depth), -(2 ** MAX_BITS))

  for (let i = 0; excess > 0; i++) {
    for (; excess > 0 && limited[i] < MAX_BITS; limited[i]++) {
      excess -= 2 ** (MAX_BITS - limited[i] - 1)
    }
  }

  // too many went deeper: the most frequent come back
  for (let i = limited.length - 1; excess < 0; i--) {
    while (limited[i] > 1 && 2 ** (MAX_BITS - limited[i]) <= -excess) {
      excess += 2 ** (MAX_BITS - limited[i]--)
    }
  }

  return limited
}

/** Longer codes first, then by symbol (RFC 8878, section 4.2.1.3). */
function codesOf (lengths: Uint8Array, longest: number): Uint16Array {
  const codes = new Uint16Array(lengths.length)

  for (let length = longest, code = 0; length > 0; length--, code >>= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] === length) {
        codes[symbol] = code++
      }
    }
  }

  return codes
}

/** The shorter of both descriptions. */
function describe (weights: readonly number[]): Uint8Array | undefined {
  const compressed = compressWeights(weights)
  const direct = weights.length > MAX_DIRECT
    ? undefined
    : Uint8Array.of(DIRECT - 1 + weights.length, ...Array.from({ length: weights.length + 1 >> 1 }, (_, i) =>
      weights[2 * i] << 4 | (weights[2 * i + 1] ?? 0)))

  return compressed == null || (direct != null && direct.byteLength <= compressed.byteLength) ? direct : compressed
}

/** Compress weights with two alternating states (RFC 8878, section 4.2.1.2). */
function compressWeights (weights: readonly number[]): Uint8Array | undefined {
  const counts: number[] = Array<number>(Math.max(...weights) + 1).fill(0)

  for (const weight of weights) {
    counts[weight]++
  }

  // a table of one symbol would have no bits, and so no end
  if (weights.length < 3 || counts.some(count => count === weights.length)) {
    return undefined
  }

  const writer = new BitWriter()
  const probabilities = normalize(counts, MAX_WEIGHTS_ACCURACY)
  writeFseDescription(writer, probabilities, MAX_WEIGHTS_ACCURACY)
  const encoder = createFseEncoder(probabilities, MAX_WEIGHTS_ACCURACY)
  // the first weight is of the first state, and so on in turns
  const last = weights.length - 1
  const states: FseState[] = []
  states[last % 2] = new FseState(encoder, weights[last])
  states[(last - 1) % 2] = new FseState(encoder, weights[last - 1])

  for (let i = last - 2; i >= 0; i--) {
    states[i % 2].encode(writer, weights[i])
  }

  states[1].finish(writer)
  states[0].finish(writer)
  writer.close()
  const { bytes } = writer

  return bytes.byteLength < DIRECT ? Uint8Array.of(bytes.byteLength, ...bytes) : undefined
}

/** How long the Huffman codes of literals are (RFC 8878, section 4.2). */

/** The longest code, in bits (section 4.2.1). */
const MAX_BITS: i32 = 11
export const SYMBOLS: i32 = 256

/** How often each symbol occurs. */
const counts = memory.data(4 * SYMBOLS, 4)
/** The symbols that occur, the rarest first, and how deep they are in the tree. */
const order = memory.data(SYMBOLS)
const depths = memory.data(4 * 2 * SYMBOLS, 4)
/** The nodes of the tree, first its leaves: how often their symbols occur, and the number of the node above. */
const nodes = memory.data(4 * 2 * SYMBOLS, 4)
const parents = memory.data(4 * 2 * SYMBOLS, 4)

/** Count the literals of a block. */
export function countLiterals (literals: usize, length: i32): void {
  memory.fill(counts, 0, 4 * SYMBOLS)

  for (let i = 0; i < length; i++) {
    const slot = counts + 4 * usize(load<u8>(literals + i))
    store<i32>(slot, load<i32>(slot) + 1)
  }
}

export function countOf (symbol: i32): i32 {
  return load<i32>(counts + 4 * symbol)
}

/**
 * Find the lengths of the codes for the literals that were counted. The numbers are those of symbols that occur, the
 * rarest first.
 *
 * @returns how many occur. With fewer than two there are no codes
 */
export function findDepths (): i32 {
  const used = sortSymbols()

  if (used >= 2) {
    buildTree(used)
    limitDepths(used)
  }

  return used
}

export function symbolAt (number: i32): usize {
  return usize(load<u8>(order + number))
}

/**
 * Sort the symbols that occur.
 *
 * @returns how many there are
 */
function sortSymbols (): i32 {
  let used = 0

  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    const count = countOf(symbol)

    if (count === 0) {
      continue
    }

    let place = used++

    for (; place > 0 && countOf(i32(load<u8>(order + place - 1))) > count; place--) {
      store<u8>(order + place, load<u8>(order + place - 1))
    }

    store<u8>(order + place, symbol)
  }

  return used
}

export function depthOf (node: i32): i32 {
  return load<i32>(depths + 4 * node)
}

function setDepth (node: i32, depth: i32): void {
  store<i32>(depths + 4 * node, depth)
}

function nodeOf (number: i32): i32 {
  return load<i32>(nodes + 4 * number)
}

/** How deep each leaf of a tree is. The leaves are the rarest first, so the depths descend. */
function buildTree (leaves: i32): void {
  for (let i = 0; i < leaves; i++) {
    store<i32>(nodes + 4 * i, countOf(i32(load<u8>(order + i))))
  }

  let leaf = 0
  let inner = leaves
  const root = 2 * leaves - 2

  for (let node = leaves; node <= root; node++) {
    let sum = 0

    // the next two rarest are leaves, or inner nodes, which are made in ascending order
    for (let i = 0; i < 2; i++) {
      const child = leaf < leaves && (inner >= node || nodeOf(leaf) <= nodeOf(inner)) ? leaf++ : inner++
      store<i32>(parents + 4 * child, node)
      sum += nodeOf(child)
    }

    store<i32>(nodes + 4 * node, sum)
  }

  setDepth(root, 0)

  for (let node = root - 1; node >= 0; node--) {
    setDepth(node, depthOf(load<i32>(parents + 4 * node)) + 1)
  }
}

/** Make all depths at most {@link MAX_BITS}, so that they still are those of a whole tree. */
function limitDepths (leaves: i32): void {
  // in units of the deepest leaf. More than there is room for: then the rarest that can go deeper do
  let excess: i32 = -(1 << MAX_BITS)

  for (let i = 0; i < leaves; i++) {
    setDepth(i, min(depthOf(i), MAX_BITS))
    excess += 1 << (MAX_BITS - depthOf(i))
  }

  for (let i = 0; excess > 0; i++) {
    for (; excess > 0 && depthOf(i) < MAX_BITS; setDepth(i, depthOf(i) + 1)) {
      excess -= 1 << (MAX_BITS - depthOf(i) - 1)
    }
  }

  // too many went deeper: the most frequent come back
  for (let i = leaves - 1; excess < 0; i--) {
    while (depthOf(i) > 1 && 1 << (MAX_BITS - depthOf(i)) <= -excess) {
      excess += 1 << (MAX_BITS - depthOf(i))
      setDepth(i, depthOf(i) - 1)
    }
  }
}

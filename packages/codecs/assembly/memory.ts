/** What lies where. Tables of a fixed size come first, then the bytes, and then what depends on how many those are. */

const ALIGNMENT: i32 = 16
const PAGE_BITS: i32 = 16

/** The most bytes of a dictionary, and of content, 64 MiB: all addresses must fit into 32 bits. */
const MAX_SIZE: i32 = 64 * 1024 * 1024

/** Bytes of one copy in a list of copies. */
export const COPY_SIZE: i32 = 12

/** The most bytes of a block of a frame (RFC 8878, section 3.1.1.2.4). */
export const MAX_BLOCK: i32 = 128 * 1024
/** What the headers of a frame and its checksum take at most, and those of a block. */
const FRAME_HEADER: i32 = 13
const BLOCK_HEADER: i32 = 3
/** A block that is encoded in vain is longer than what it holds: three bytes may take a sequence of eleven. */
const BLOCK_ROOM: i32 = 4 * MAX_BLOCK

export const NEAR_LOG: i32 = 13
export const FAR_LOG: i32 = 17

/** Tables of places, by hash. */
export const nearTable: usize = aligned(__heap_base)
export const farTable: usize = nearTable + (4 << NEAR_LOG)
/** A bit for each hash. */
export const newBits: usize = farTable + (4 << FAR_LOG)

/** The dictionary, and the content after it. All places are counted from here. */
export const all: usize = newBits + (1 << (FAR_LOG - 3))

/** Bytes of the dictionary: the place where the content begins. */
export let contentStart: i32 = 0
/** Bytes of the dictionary and the content. */
export let size: i32 = 0

/** For each hash the last window that has it, and for each window the one before with the same hash. Plus one. */
export let lastWindows: usize = 0
export let windowsBefore: usize = 0
/** Lists of the long copies and of all. */
export let longCopies: usize = 0
export let copies: usize = 0
/** Room for a frame, and then for the dictionary and the content once more: the frame is decoded there. */
export let room: usize = 0

/**
 * Make room for a dictionary and content.
 *
 * @param windowSlots - how many hashes windows have, and at most as many windows
 * @param minLong - the fewest bytes of a long copy
 * @param minShort - the same of any copy
 * @returns whether there is so much memory
 */
export function layOut (dictionarySize: i32, contentSize: i32, windowSlots: i32, minLong: i32, minShort: i32): bool {
  if (dictionarySize > MAX_SIZE || contentSize > MAX_SIZE) {
    return false
  }

  contentStart = dictionarySize
  size = dictionarySize + contentSize
  lastWindows = aligned(all + size)
  windowsBefore = lastWindows + 4 * windowSlots
  longCopies = windowsBefore + 4 * windowSlots
  copies = longCopies + COPY_SIZE * (contentSize / minLong + 1)
  room = aligned(copies + COPY_SIZE * (contentSize / minShort + 1))
  const frameRoom = FRAME_HEADER + contentSize + BLOCK_HEADER * (contentSize / MAX_BLOCK + 1) + BLOCK_ROOM
  const end = room + max(size, frameRoom)
  const pages = i32((end + (1 << PAGE_BITS) - 1) >>> PAGE_BITS) - memory.size()

  return pages <= 0 || memory.grow(pages) >= 0
}

function aligned (address: usize): usize {
  return (address + ALIGNMENT - 1) & ~(ALIGNMENT - 1)
}

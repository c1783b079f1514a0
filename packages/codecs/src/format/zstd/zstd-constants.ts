/** Numbers of RFC 8878. */

/** Maximum number of bytes in a block (section 3.1.1.2.4). The window may limit it further. */
export const MAX_BLOCK = 128 * 1024

/** Types of blocks (section 3.1.1.2.2). Others are compressed. */
export const RAW_BLOCK = 0
export const RLE_BLOCK = 1
export const RESERVED_BLOCK = 3

/** Types of literals (section 3.1.1.3.1.1). Others use the Huffman code of a block before. */
export const RAW_LITERALS = 0
export const RLE_LITERALS = 1
export const COMPRESSED_LITERALS = 2

/** Modes of the tables for sequences (section 3.1.1.3.2.1). In another one, a table is used again. */
export const PREDEFINED_TABLE = 0
export const RLE_TABLE = 1
export const DESCRIBED_TABLE = 2

/** Counts of sequences from this one up take three bytes, and are stored less this number (section 3.1.1.3.2.1). */
export const LONG_COUNT = 0x7f00

/** The initial repeat offsets (section 3.1.1.5). */
export const FIRST_OFFSETS = [1, 4, 8]

/** The smallest accuracy of an FSE table that is described (section 4.1.1). */
export const MIN_ACCURACY = 5
/** The probability "less than one": the symbol has a single state, and all bits of the next state are read. */
export const LESS_THAN_ONE = -1
/** A probability of 0 is followed by the number of further zeros. If that is this number, another one follows. */
export const MORE_ZEROS = 3

/** The longest Huffman code, in bits (section 4.2.1). */
export const MAX_BITS = 11
/** From this header byte on, the weights are not compressed, and their number is the byte minus 127. */
export const DIRECT = 128
/** The largest accuracy of the FSE table for the weights. */
export const MAX_WEIGHTS_ACCURACY = 6

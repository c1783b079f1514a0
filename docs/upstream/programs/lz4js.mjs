// lz4js 0.2.0: reads before the first byte, and writes blocks that the format forbids
import lz4 from 'lz4js'

// the literal "a", then a match 100 bytes back
const block = Uint8Array.of(0x10, 0x61, 100, 0)

// prints 5 bytes, of which 4 are not in the block; expected: an error
console.info(lz4.decompressBlock(block, new Uint8Array(16), 0, block.byteLength, 0))

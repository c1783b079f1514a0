// fzstd 0.1.1: does not check frames
import { constants, zstdCompressSync } from 'node:zlib'
import { decompress } from 'fzstd'

const frame = zstdCompressSync('hello '.repeat(100), { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
frame.writeUInt8(frame.readUInt8(frame.byteLength - 1) ^ 1, frame.byteLength - 1)

// prints 600, and no error
console.info(decompress(frame).byteLength)

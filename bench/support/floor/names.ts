/** The side that does nothing but what cannot be left out. */
export const FLOOR = 'the floor'

/** The same, with blocks as blockstore-fs reads them, in pieces of 64 KiB, and writes them, each with its directory. */
export const FLOOR_OF_STORE = 'the floor over blockstore-fs'

/** The stored values of a CompressedBlockstore, read and decoded by zlib, and not compared with their hashes. */
export const ZLIB_ALONE = 'SharedFsBlockstore, zstd 3, zlib alone'

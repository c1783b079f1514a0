/** The side that does nothing but what cannot be left out. */
export const FLOOR = 'the floor'

/** The same, with blocks as blockstore-fs reads them, in pieces of 64 KiB, and writes them, each with its directory. */
export const FLOOR_OF_STORE = 'the floor over blockstore-fs'

/** After the name of a store: its stored values, read and decoded by zlib, and not compared with their hashes. */
export const ZLIB_ALONE = 'zstd 3, zlib alone'

/** The store whose blocks are in memory, bare. */
export const BARE_MEMORY = 'MemoryBlockstore'

/** The title of the table of stores in memory. */
export const IN_MEMORY = 'Blocks in memory'

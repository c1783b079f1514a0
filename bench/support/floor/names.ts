/** The side that does nothing but what cannot be left out. */
export const FLOOR = 'the floor'

/** The same, with blocks as blockstore-fs reads them, in pieces of 64 KiB, and writes them, each with its directory. */
export const FLOOR_OF_STORE = 'the floor over blockstore-fs'

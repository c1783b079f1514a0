/**
 * Packs that are written whole and read in parts, such as objects of a store, and an index of them.
 */
export { NodeDisk } from '../disk/node-disk.ts'
export { compressInPool, encodeWith } from '../encode/encode-blocks.ts'
export { choosePacks } from '../store/choose-packs.ts'
export { comparePlaces } from '../format/entry.ts'
export { keyOf, keyText } from '../format/key.ts'
export { DamagedPackError } from '../errors.ts'
export { blockIn, cidBefore, cidIn, contentOf, MAX_HEAD, rawBlockIn, rawPlaceOf } from './frame-block.ts'
export { PackIndex } from './pack-index.ts'
export { FIRST_READ, encodeWholePack, placesIn, readPackTable, tableSizeOf } from './whole-pack.ts'
export type { Disk } from '../disk/disk.ts'
export type { Compress, EncodedBlocks, PlainBlock } from '../encode/encode-blocks.ts'
export type { Row } from '../format/entry.ts'
export type { Key } from '../format/key.ts'
export type { IndexedBlock, PackIndexInit } from './pack-index.ts'
export type { PackTable, PartPlaces } from './whole-pack.ts'

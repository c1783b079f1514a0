/**
 * The packs of a store, with its blocks.
 */
export { keyOf } from '@ipfsz/blockstore-packed/whole'
export { PIECE } from './pack-reader.ts'
export { PackStorage } from './pack-storage.ts'
export type { PackBlocks } from './pack-blocks.ts'
export type { PackBytes } from './pack-reader.ts'
export type { PackStorageInit } from './pack-storage.ts'
export type { SessionPackBlocks } from './session-pack-blocks.ts'

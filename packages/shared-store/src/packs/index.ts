/**
 * The blocks of a store that keeps them in packs.
 */
export { keyOf } from '@ipfsz/blockstore-packed/whole'
export { collectPacks } from './collect-packs.ts'
export { PIECE } from './pack-reader.ts'
export { PackStorage } from './pack-storage.ts'
export type { CollectedPacks, CollectPacksInit } from './collect-packs.ts'
export type { PackBlocks } from './pack-blocks.ts'
export type { PackBytes } from './pack-reader.ts'
export type { PackStorageInit } from './pack-storage.ts'
export type { SessionPackBlocks } from './session-pack-blocks.ts'

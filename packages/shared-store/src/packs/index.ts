/**
 * The blocks of a store that keeps them in packs.
 */
export { keyOf } from '@ipfsz/blockstore-packed/whole'
export { collectPacks } from './collect-packs.ts'
export { PackStorage } from './pack-storage.ts'
export type { CollectedPacks, CollectPacksInit } from './collect-packs.ts'
export type { PackStorageInit } from './pack-storage.ts'

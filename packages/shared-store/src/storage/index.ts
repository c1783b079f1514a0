/**
 * Where the blocks of a repo lie, and those that are files.
 */
export { FileStorage } from './file-storage.ts'
export type { BlockStorage, StoredBlock } from './block-storage.ts'

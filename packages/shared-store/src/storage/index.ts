/**
 * The blocks of a repo or a store in a directory.
 */
export { FileStorage, MountedStorage } from './file-storage.ts'
export { FreeSpace } from './free-space.ts'
export type { BlockStorage, StoredBlock } from './block-storage.ts'

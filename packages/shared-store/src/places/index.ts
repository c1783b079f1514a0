/**
 * Places that can be a store, a directory or a bucket, and the mark that makes one a store.
 */
export { servingSignal } from './closing-time.ts'
export { directoryBackend } from './directory-backend.ts'
export { checkPlace, isS3Url, openBackend } from './open-backend.ts'
export { decodeMark, encodeMark, MARK_KEY, writeMark } from './store-mark.ts'
export type { BackendInit, StoreBackend } from './store-backend.ts'
export type { StoreCompression, StoreMark } from './store-mark.ts'

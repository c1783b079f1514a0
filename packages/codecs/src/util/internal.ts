/**
 * Helpers that several packages of IPFSz need. They are here because every package may import
 * `@ipfsz/codecs`, and have nothing to do with codecs. Not for other users: they change without notice.
 *
 * @packageDocumentation
 */
export { blockFileReader } from './block-file-reader.ts'
export { ChunkQueue } from './chunk-queue.ts'
export { digestInPool } from './digest-in-pool.ts'
export { EventLoopBreaks, yieldToEventLoop } from './event-loop.ts'
export { forgetOldest } from './forget-oldest.ts'
export { freeBytes, freeResult, isMovable, markResult, moveBytes, SPARE, unmarkResult } from './free-bytes.ts'
export { formatSize } from './format-size.ts'
export { hideGivenIn, hidePlaceSecrets, hideSecrets, hideSecretsIn, isUrlLike } from './hide-secrets.ts'
export { mapOrdered, settle, unwrap } from './map-ordered.ts'
export { messageOf } from './message-of.ts'
export { quoteName } from './quote-name.ts'
export { raceAbort } from './race-abort.ts'
export { readWholeFile } from './read-file.ts'
export type { MapOrderedOptions, Settled } from './map-ordered.ts'

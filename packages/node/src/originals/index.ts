/**
 * @packageDocumentation
 *
 * The index of originals: the CIDs that linked files and trees have without compression, which daemons and gateways
 * can serve from the compressed blocks.
 *
 * @example
 *
 * ```ts
 * import { indexOriginals, listOriginals } from '@ipfsz/node/originals'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * await indexOriginals(context)
 *
 * for await (const { original, compressed } of listOriginals(context)) {
 *   console.log(original, compressed)
 * }
 * ```
 */
export { indexOriginals, listOriginals } from './originals.ts'
export type { IndexOriginalsOptions } from './originals.ts'
export type { Original } from '@ipfsz/core/originals'

/**
 * @packageDocumentation
 *
 * Lists what is below a directory, and finds files in pins by their names.
 *
 * @example Find all CSV files of the pins
 *
 * ```ts
 * import { findContent } from '@ipfsz/node/find'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * await findContent(context, '*.csv', [], {
 *   onFound ({ path, entry }) { console.log(path, entry.size) }
 * })
 * ```
 */
export { findContent } from './find-content.ts'
export { walkContent } from './walk-content.ts'
export type { FindContentOptions, FoundEntry } from './find-content.ts'
export type { WalkedEntry, WalkOptions } from './walk-content.ts'

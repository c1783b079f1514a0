/**
 * @packageDocumentation
 *
 * Compares two files or directories.
 *
 * @example
 *
 * ```ts
 * import { diffContent } from '@ipfsz/node/diff'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * await diffContent(context, ['docs@1', 'docs@2'], {
 *   onDifference ({ change, path }) { console.log(change, path) }
 * })
 * ```
 */
export { diffContent } from './diff-content.ts'
export type { DiffContentOptions, Differences } from './diff-content.ts'
export type { DescribedEntry } from '../dag/describe-entry.ts'
export type { Difference } from '../dag/diff-trees.ts'

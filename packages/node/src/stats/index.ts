/**
 * @packageDocumentation
 *
 * Counts the blocks of a repo, by codec, and what compression saves.
 *
 * @example
 *
 * ```ts
 * import { countRepo } from '@ipfsz/node/stats'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const { blocks, storedSize, saved } = await countRepo(context)
 * ```
 */
export { countRepo } from './count-repo.ts'
export type { CountedPacks } from './count-packs.ts'
export type { RepoStats } from './count-repo.ts'
export type { CompressedFiles } from '../repo/compressed-files.ts'

/**
 * @packageDocumentation
 *
 * What was added under each name with the base `latest`.
 *
 * @example Keep a version for each of seven days
 *
 * ```ts
 * import { forgetVersions } from '@ipfsz/node/history'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const versions = await forgetVersions(context, 'docs', { daily: 7 })
 * console.log(versions.filter(({ keptBy }) => keptBy.length === 0).length, 'forgotten')
 * ```
 */
export { forgetVersions } from './forget-versions.ts'
export { forgetHistory, listHistories, listVersions } from './history.ts'
export type { ForgetVersionsOptions, JudgedVersion } from './forget-versions.ts'
export type { PinnedVersion } from './history.ts'
export type { KeepRules } from './keep-rules.ts'
export type { Version } from '../repo/history.ts'

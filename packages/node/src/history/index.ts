/**
 * @packageDocumentation
 *
 * What was added under each name with the base `latest`.
 */
export { forgetHistory, listHistories, listVersions } from './history.ts'
export type { PinnedVersion } from './history.ts'
export type { Version } from '../repo/history.ts'

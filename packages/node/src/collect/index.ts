/**
 * @packageDocumentation
 *
 * Deletes what no pin reaches, from a repo or from a store that nodes share.
 */
export { collectGarbage } from './collect.ts'
export type { Collected, CollectOptions } from './collect.ts'
export type { FreedPacks, MaxUnused } from './free-packs.ts'

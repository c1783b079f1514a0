/**
 * Collections delete the blocks of a store that no pin reaches and no session relies on.
 */
export { tailOf, TailSet } from '../protocol/tail-set.ts'
export { collect } from './collect.ts'
export { evictSession } from './evict-session.ts'
export type { CollectOptions } from './collect.ts'
export type * from './collection.ts'

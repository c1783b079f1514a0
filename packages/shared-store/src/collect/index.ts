/**
 * Collections delete the packs of a store of which no pin reaches anything and on which no session relies.
 */
export { tailOf, TailSet } from '../protocol/tail-set.ts'
export { collect } from './collect.ts'
export { evictSession } from './evict-session.ts'
export type * from './collection.ts'

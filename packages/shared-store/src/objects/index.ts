/**
 * The objects of a store: what every place offers, and whether it answers.
 */
export { pathOf } from './object-names.ts'
export { Mount } from './mount.ts'
export { isStoreAway } from './store-away.ts'
export { StoreWatch } from './store-watch.ts'
export type * from './object-store.ts'
export type { StoreRequests, StoreTraffic } from './store-traffic.ts'

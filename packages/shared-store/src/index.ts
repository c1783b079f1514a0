export { joinStore, openStore } from './shared-store.ts'
export type { Clock } from './clock.ts'
export type { JoinedStore, OpenStoreInit, SharedStore, StoreParts } from './shared-store.ts'

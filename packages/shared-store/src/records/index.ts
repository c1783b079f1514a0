/**
 * Pins, histories and links, as records of a repo or of a store.
 */
export { ObjectDatastore } from './object-datastore.ts'
export type { LinkRecords, Links, Records } from './records.ts'

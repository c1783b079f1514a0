/**
 * Sessions protect what a process adds or pins from collections of other nodes.
 */
export { StoreSession } from './store-session.ts'
export type { StoreSessionInit } from './store-session.ts'

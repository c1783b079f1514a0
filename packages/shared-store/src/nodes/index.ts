/**
 * The nodes that run over one store: which live, where they are reached, and which of them own a block.
 */
export { usableAddresses } from './node-record.ts'
export { ownersOf } from './owners.ts'
export { StoreNodes } from './store-nodes.ts'
export type { NodeRecord } from './node-record.ts'
export type { StoreNodesInit } from './store-nodes.ts'

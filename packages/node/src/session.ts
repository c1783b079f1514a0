/**
 * @packageDocumentation
 *
 * An open repo, for work that needs several steps in one session: what a session adds is not collected before it ends.
 * `openRepo` of `@ipfsz/node` opens one for each call.
 */
export { openToRead, withRepo } from './context.ts'
export { PendingRoots } from './add/pending-roots.ts'
export { addTree } from './disk/add-tree.ts'
export { findGateway } from './gateway/gateway-file.ts'
export type { NodeContext, Reading, Session, SessionOptions } from './context.ts'
export type { PendingRoot, PendingRootsInit } from './add/pending-roots.ts'
export type { NetworkOptions } from './daemon/access.ts'
export type { Added, AddedTree, AddTreeOptions } from './disk/add-tree.ts'

/**
 * @packageDocumentation
 *
 * An open repo, for work that needs several steps in one session: what a session adds is not collected before it ends.
 * `openRepo` of `@ipfsz/node` opens one for each call.
 */
export { openToRead, withRepo } from './context.ts'
export { basesInTree } from './add/earlier-tree.ts'
export { LatestVersions } from './add/latest-versions.ts'
export { PendingRoots } from './add/pending-roots.ts'
export { addTree } from './disk/add-tree.ts'
export { checkFileTarget, checkNoOverwrite } from './disk/get-target.ts'
export { findGateway } from './gateway/gateway-file.ts'
export { countNewBlocks } from './repo/count-new-blocks.ts'
export type { NodeContext, Reading, Session, SessionOptions } from './context.ts'
export type { PendingRoot, PendingRootsInit } from './add/pending-roots.ts'
export type { NetworkOptions } from './daemon/access.ts'
export type { Added, AddedTree, AddTreeOptions } from './disk/add-tree.ts'

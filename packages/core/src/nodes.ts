/**
 * Decodes single blocks: dag-pb, UnixFS, and the header of a compressed file. Loads little, for worker threads.
 *
 * @packageDocumentation
 */
export { decodeBlock } from './dag/node-links.ts'
export { decodeNode } from './dag/node.ts'
export { findHeader } from './read/find-header.ts'
export type { FileNode } from './dag/node.ts'
export type { NodeLinks } from './dag/node-links.ts'

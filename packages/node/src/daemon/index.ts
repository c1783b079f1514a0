/**
 * @packageDocumentation
 *
 * The daemon of a repo: a node with a server through which other processes use it. `openNode` of `@ipfsz/node/network`
 * is the same with a handle on its repo.
 */
export { startDaemon } from './daemon.ts'
export type { Daemon, DaemonInit, Provides } from './daemon.ts'

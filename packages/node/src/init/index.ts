/**
 * @packageDocumentation
 *
 * Creates repos: with blocks that are compressed at rest, or in a store that several nodes share.
 */
export { initRepo, initStore } from './init.ts'
export type { RepoCompression } from '../repo/repo-compression.ts'
export type { InitializedRepo, InitStoreOptions, JoinedRepo } from './init.ts'

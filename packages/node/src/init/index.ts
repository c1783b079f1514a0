/**
 * @packageDocumentation
 *
 * Creates repos: with blocks that are compressed at rest, or in a store that several nodes share.
 */
export { initRepo, initStore } from './init.ts'
export type { BlockLayout, RepoCompression } from '../blocks/block-setting.ts'
export type { InitializedRepo, InitRepoOptions, InitStoreOptions, JoinedRepo } from './init.ts'

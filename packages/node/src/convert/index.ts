/**
 * @packageDocumentation
 *
 * Compresses the blocks of a repo, or stores them plain again; moves them into packs, or into files of their own.
 *
 * @example
 *
 * ```ts
 * import { convertBlocks } from '@ipfsz/node/convert'
 *
 * const context = { repo: 'repo', signal: AbortSignal.timeout(60_000), bootstrap: [] }
 * const { converted } = await convertBlocks(context, { codec: 'zstd' })
 * ```
 */
export { convertBlocks } from './convert-blocks.ts'
export { convertLayout } from './convert-layout.ts'
export type { ConvertBlocksOptions } from './convert-blocks.ts'
export type { BlockLayout, RepoCompression } from '../blocks/block-setting.ts'
export type { MovedBlocks } from '../blocks/move-blocks.ts'
export type { ConvertReport } from '@ipfsz/blockstore-compressed'

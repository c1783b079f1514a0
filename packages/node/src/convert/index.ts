/**
 * @packageDocumentation
 *
 * Compresses the blocks of a repo, or stores them plain again.
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
export type { ConvertBlocksOptions } from './convert-blocks.ts'
export type { RepoCompression } from '../blocks/block-setting.ts'
export type { ConvertReport } from '@ipfsz/blockstore-compressed'

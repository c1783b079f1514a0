/**
 * @packageDocumentation
 *
 * `CompressedBlockstore` with the codecs that it is given: no other is imported. A bundler that puts a page into one
 * file puts every codec into it that any import names, 1 MB gzipped; with this entry, only those that the page names.
 *
 * @example Compress blocks in a page with zstd
 *
 * ```typescript
 * import { CompressedBlockstore } from '@ipfsz/blockstore-compressed/with-codecs'
 * import { zstd } from '@ipfsz/codecs/zstd'
 * import { MemoryBlockstore } from 'blockstore-core'
 *
 * const blockstore = new CompressedBlockstore(new MemoryBlockstore(), { codecs: [zstd()] })
 * ```
 */
export { CompressedBlockstore } from './compressed-blockstore.ts'
export type { CompressedBlockstoreInit, ReadInit, Verify, WithCodecs, WriteInit } from './init.ts'

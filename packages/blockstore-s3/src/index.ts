/**
 * @packageDocumentation
 *
 * Blocks in an S3 bucket: Ceph, Garage, AWS and others. For Node.
 *
 * S3Blockstore is a blockstore that several nodes can share. S3Objects stores arbitrary objects under arbitrary keys.
 *
 * @example Blocks in a bucket, compressed
 *
 * ```typescript
 * import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
 * import { parseS3Url, S3Blockstore } from '@ipfsz/blockstore-s3'
 *
 * const s3 = new S3Blockstore(parseS3Url('s3://blocks/site-1?endpoint=http://10.0.0.1:7480&endpoint=http://10.0.0.2:7480'))
 * await s3.open()
 * const blockstore = new CompressedBlockstore(s3)
 * ```
 *
 * @example Store other objects in addition to blocks
 *
 * ```typescript
 * import { S3Objects } from '@ipfsz/blockstore-s3'
 *
 * const objects = new S3Objects({ bucket: 'blocks', prefix: 'site-1', endpoints: ['http://10.0.0.1:7480'] })
 * await objects.put('records/one', new Uint8Array([1, 2, 3]))
 *
 * for await (const page of objects.list('records/')) {
 *   console.info(page.map(({ key, size }) => `${key} ${size}`))
 * }
 * ```
 */

export { BLOCKS, blockKey, multihashOf } from './block-keys.ts'
export * from './errors.ts'
export { S3Blockstore } from './s3-blockstore.ts'
export { S3Objects } from './s3-objects.ts'
export { parseS3Url } from './s3-url.ts'
export type { S3BlockstoreInit, StoredBlockInfo } from './s3-blockstore.ts'
export type * from './contract.ts'
export type { S3UrlParts } from './s3-url.ts'

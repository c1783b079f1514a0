/**
 * @packageDocumentation
 *
 * Reads files and directories, with the codecs that it is given and no others: for programs that must be small, such
 * as service workers. Links, IPLD objects and everything that writes are left out.
 *
 * @example Read a zstd file from a gateway
 *
 * ```typescript
 * import { zstdDecoder } from '@ipfsz/codecs/zstd-decoder'
 * import { GatewayPool, HttpSource } from '@ipfsz/core/http'
 * import { ipfszReader } from '@ipfsz/core/reader'
 * import { MemoryBlockstore } from 'blockstore-core'
 * import { CID } from 'multiformats/cid'
 *
 * const root = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
 * const source = new HttpSource({ root, pool: new GatewayPool(['http://127.0.0.1:8080']) })
 * const fs = ipfszReader({ blockstore: new MemoryBlockstore(), sources: [source] }, { codecs: [zstdDecoder()] })
 *
 * for await (const bytes of fs.cat(root)) {
 *   console.info(bytes.byteLength)
 * }
 *
 * source.close()
 * ```
 */
export { ipfszReader } from './create-reader.ts'
export { checkBlock, checkHash, isIdentity } from './dag/hashes.ts'
export * from './errors.ts'
export { codecName } from './codec-names.ts'
export { isMarked, mark, TREE_CODE, unmark } from './marker.ts'
export { readableWith } from './read/readable-with.ts'
export type { IpfszReader } from './contract.ts'
export type { FileHandle, FileReadOptions, OpenOptions } from './file-handle.ts'
export type { ReaderComponents, ReaderInit } from './create-reader.ts'

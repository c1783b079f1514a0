/**
 * @packageDocumentation
 *
 * An IPFS HTTP gateway. It sends compressed files as stored, with `Content-Encoding`:
 * browsers, curl and other clients decompress them.
 *
 * @example Answer a request
 *
 * ```typescript
 * import { ipfsz } from '@ipfsz/core'
 * import { createGateway } from '@ipfsz/gateway'
 * import { createHeliaLight } from 'helia'
 *
 * const helia = createHeliaLight()
 * const gateway = createGateway({ fs: ipfsz(helia), blocks: helia.blockstore })
 * const response = await gateway(new Request('http://127.0.0.1:8080/ipfs/bafkqabtimvwgy3yk'))
 *
 * console.info(await response.text()) // hello
 * ```
 */
export { createGateway } from './create-gateway.ts'
export {
  DEFAULT_DECOMPRESSED_BYTES,
  DEFAULT_HELD_BYTES,
  DEFAULT_LISTED_ENTRIES,
  DEFAULT_STALL_TIMEOUT,
  DEFAULT_START_TIMEOUT
} from './assemble-gateway.ts'
export {
  createCompressor,
  DEFAULT_COMPRESSED_CACHE,
  DEFAULT_COMPRESSIONS,
  DEFAULT_CPU_SHARE
} from './compress/compressor.ts'
export * from './errors.ts'
export type { CompressorInit } from './compress/compressor.ts'
export type * from './contract.ts'

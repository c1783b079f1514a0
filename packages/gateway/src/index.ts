/**
 * @packageDocumentation
 *
 * An IPFS HTTP gateway. It serves compressed files as they are stored, with
 * `Content-Encoding`: browsers, curl and other clients decompress them themselves.
 */
export {
  createGateway,
  DEFAULT_DECOMPRESSED_BYTES,
  DEFAULT_LISTED_ENTRIES,
  DEFAULT_STALL_TIMEOUT,
  DEFAULT_START_TIMEOUT
} from './create-gateway.ts'
export * from './errors.ts'
export type * from './contract.ts'

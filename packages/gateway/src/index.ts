/**
 * @packageDocumentation
 *
 * An IPFS HTTP gateway. It serves compressed files as they are stored, with
 * `Content-Encoding`: browsers, curl and other clients decompress them themselves.
 */
export * from './errors.ts'
export type * from './contract.ts'

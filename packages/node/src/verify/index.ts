/**
 * @packageDocumentation
 *
 * Reads files and directories of the repo completely, and checks every block and frame.
 */
export { verifyContent } from './verify-content.ts'
export type { VerifyContentOptions } from './verify-content.ts'

/**
 * A plugin for `@helia/verified-fetch` that reads files and directories compressed by IPFSz.
 *
 * @packageDocumentation
 */

export { checkPaths } from './check-paths.ts'
export { ipfszPlugin } from './plugin.ts'

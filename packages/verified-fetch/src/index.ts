/**
 * A plugin for `@helia/verified-fetch` that reads files and directories compressed by IPFSz.
 *
 * @packageDocumentation
 */

export { ipfszPlugin } from './plugin.ts'

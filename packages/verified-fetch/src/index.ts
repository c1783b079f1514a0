/**
 * A plugin with which `@helia/verified-fetch` reads files and directories that IPFSz has compressed.
 *
 * @packageDocumentation
 */

export { ipfszPlugin } from './plugin.ts'

/**
 * @packageDocumentation
 *
 * Writes files and directories to disk, whole or not at all: nothing is written through a symlink, or outside of the
 * path that was asked for.
 */
export { getContent } from './get-content.ts'
export type { GetContentOptions, Written } from './get-content.ts'

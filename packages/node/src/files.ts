/**
 * @packageDocumentation
 *
 * Files of a directory that other programs may change meanwhile: symlinks that they put there are not followed, and
 * pipes are not waited for.
 */
export { openRegular } from './disk/file-content.ts'
export { holdDirectory } from './disk/held-directory.ts'
export { HeldTree } from './disk/held-tree.ts'
export { ignoreMatcher } from './disk/ignore.ts'
export type { HeldDirectory } from './disk/held-directory.ts'
export type { Ignore } from './disk/ignore.ts'

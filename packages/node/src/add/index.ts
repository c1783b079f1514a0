/**
 * @packageDocumentation
 *
 * Adds files, directories and streams to a repo, to a Kubo, or nowhere if only their CIDs are wanted. `openRepo` of
 * `@ipfsz/node` calls it for one file or directory; here are all options, for many of them in one session.
 */
export { addSources } from './add-sources.ts'
export { LATEST } from './add-options.ts'
export type { KnownCounts } from './known-files.ts'
export type {
  AddedEntry,
  AddedRoot,
  AddSource,
  AddSourcesOptions,
  PathSource,
  StreamSource
} from './add-options.ts'
export type { TreeContent } from '../disk/add-tree.ts'
export type { ChangedFiles } from '../disk/progress.ts'

// Room: the verbs of the public interface, one file each; `open`, `cat` and `stat` are one, `open.ts`.
import { InvalidParametersError } from '../errors.ts'
import { addAll } from './add.ts'
import type { AddFileOptions } from '../unixfs.ts'
import type { AddSettings } from '../settings.ts'
import type { DirectoryCandidate } from '../unixfs.ts'
import type { CID } from 'multiformats/cid'

/** Add an empty directory, and the parent directories that its path names. */
export async function addDirectory (
  directory: Partial<DirectoryCandidate> = {},
  settings: AddSettings,
  options: AddFileOptions = {}
): Promise<CID> {
  if ('content' in directory && directory.content != null) {
    throw new InvalidParametersError('Directories cannot have content, use addFile instead')
  }

  const { path } = directory
  let last: CID | undefined

  const candidate = { ...directory, path: path ?? '-' }

  // the last result is the outermost directory: the wrapper if there is a path
  for await (const { cid } of addAll([candidate], settings, { ...options, wrapWithDirectory: path != null })) {
    last = cid
  }

  if (last == null) {
    throw new Error('The importer added nothing')
  }

  return last
}

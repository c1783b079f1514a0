import { InvalidParametersError } from '../errors.ts'
import { addAll } from './add.ts'
import type { AddFileOptions } from '../unixfs.ts'
import type { Settings } from '../settings.ts'
import type { DirectoryCandidate } from '../unixfs.ts'
import type { CID } from 'multiformats/cid'

/** An empty directory, in those that its path names. */
export async function addDirectory (directory: Partial<DirectoryCandidate> = {}, settings: Settings, options: AddFileOptions = {}): Promise<CID> {
  if ('content' in directory && directory.content != null) {
    throw new InvalidParametersError('Directories cannot have content, use addFile instead')
  }

  const { path } = directory
  let last: CID | undefined

  // without a path there is one result, with one the directory that wraps it comes last
  for await (const { cid } of addAll([{ ...directory, path: path ?? '-' }], settings, { ...options, wrapWithDirectory: path != null })) {
    last = cid
  }

  if (last == null) {
    throw new InvalidParametersError('Nothing imported')
  }

  return last
}

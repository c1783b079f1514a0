import { join } from 'node:path'
import { mark, TREE_CODE } from '@ipfsz/core'
import { baseChecker } from './base-checker.ts'
import { earlierVersion } from './earlier-version.ts'
import type { Session } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { BaseOf, CompressionOptions } from '@ipfsz/core'

/**
 * The bases of the files of a directory that is added, in an earlier version of it. A file that has little left in
 * common with its base gets none.
 *
 * @throws {InvalidBaseError} the earlier version is not a directory
 * @throws {NotFoundError} the repo does not have it
 */
export async function basesInTree (
  directory: string,
  { cid, path }: Pick<CidPath, 'cid' | 'path'>,
  { files, pins }: Pick<Session, 'files' | 'pins'>,
  signal: AbortSignal
): Promise<CompressionOptions['base']> {
  const { plainCid, type } = await files.stat(cid, { path, signal })
  // whatever way it was reached: its files are compared as they were
  const tree = type === 'directory' ? mark(plainCid, TREE_CODE) : plainCid
  const check = await baseChecker(cid, pins, signal)
  const pathOf = (entry: string): string => join(directory, entry)

  return await earlierVersion({ cid: tree, path: '' }, { pathOf, renews: true, check }, files, signal) as BaseOf
}

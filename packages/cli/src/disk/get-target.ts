import { lstat, stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { TreeEntryError, UsageError } from '../errors.ts'
import { nameOf } from '../cid-path.ts'
import type { CidPath } from '../cid-path.ts'

/** Names of the streams of a process, which lead to wherever those go. */
const STREAMS = /^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$/

/**
 * Where `get` writes: as with `cp`, a path that ends in a slash is a directory to write
 * into, and so is one that ends in `.` or `..`. Any other path is the name itself.
 *
 * @param output - what was given, by default the working directory
 * @throws {UsageError} it is no path of a file, or a directory that is not there
 */
export async function getTarget (output: string | undefined, asked: CidPath, cwd: string): Promise<string> {
  if (output == null) {
    return resolve(cwd, nameOf(asked))
  }

  if (output === '') {
    throw new UsageError('--output is empty: give it a path')
  }

  if (output === '-') {
    throw new UsageError(`get writes to disk: for stdout use ipfsz cat ${asked.text}, and for a file of that name --output ./-`)
  }

  const path = resolve(cwd, output)

  if (!output.endsWith('/') && !output.endsWith(sep) && !['.', '..'].includes(basename(output))) {
    return path
  }

  const stats = await stat(path).catch(() => undefined)

  if (stats?.isDirectory() !== true) {
    throw new UsageError(stats == null
      ? `the directory ${output} does not exist: make it first to write into it, or give the path without the slash at its end`
      : `${output} is not a directory: give the path without the slash at its end`)
  }

  return join(path, nameOf(asked))
}

/**
 * A file is replaced, and so is a symlink to one or to nothing. What else is there, or a symlink leads to, is not.
 *
 * @throws {UsageError} there is a device, a pipe or a socket
 * @throws {TreeEntryError} there is a directory
 */
export async function checkFileTarget (target: string, asked: CidPath): Promise<void> {
  const stats = await stat(target).catch(() => undefined)

  if (stats?.isDirectory() === true) {
    throw new TreeEntryError(target, 'is a directory: to write into it, put a slash at the end of the path')
  }

  // a symlink of that name is replaced, which those of the system must not be
  if ((stats != null && !stats.isFile()) || STREAMS.test(target)) {
    throw new UsageError(`${target} is not a regular file: use ipfsz cat ${asked.text} > ${target}`)
  }
}

/**
 * @throws {TreeEntryError} there is anything, also a symlink to nowhere
 */
export async function checkNothingThere (path: string, what: string): Promise<void> {
  if (await lstat(path).then(() => true, () => false)) {
    throw new TreeEntryError(path, `already exists: ${what} is only written to a new path`)
  }
}

import { lstat, stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { TreeEntryError, UsageError } from '../errors.ts'
import { absolutePath } from '../paths.ts'
import { nameOf } from '../dag/cid-path.ts'
import { isEntryName } from './entry-name.ts'
import type { WorkingDirectory } from '../paths.ts'
import type { CidPath } from '../dag/cid-path.ts'

/** Paths of the standard streams and open files of a process. */
const STREAMS = /^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$/

/**
 * The path that `get` writes to. As with `cp`, a path that ends in a slash, `.` or `..` is a directory to write into.
 * Any other path is the new name itself.
 *
 * @param output - the path that was asked for, by default the working directory
 * @param system - as `process.platform`
 */
export async function getTarget (
  output: string | undefined,
  asked: CidPath,
  io: WorkingDirectory,
  system?: string
): Promise<string> {
  if (output == null) {
    return resolve(io.cwd, fileNameOf(asked, system))
  }

  if (output === '') {
    throw new UsageError('The path to write to is empty: pass one')
  }

  const path = absolutePath(output, io)

  if (!output.endsWith('/') && !output.endsWith(sep) && !['.', '..'].includes(basename(output))) {
    return path
  }

  const stats = await stat(path).catch(() => undefined)

  if (stats?.isDirectory() !== true) {
    throw new UsageError(stats == null
      ? `the directory ${output} does not exist: create it, or omit the slash at the end`
      : `${output} is not a directory: omit the slash at the end`)
  }

  return join(path, fileNameOf(asked, system))
}

/** The name under which something is written. Windows would take `a:b` for a part of the file `a`. */
function fileNameOf (asked: CidPath, system?: string): string {
  const name = nameOf(asked)

  if (!isEntryName(name, system) && name !== '.' && name !== '..') {
    throw new UsageError(`"${name}" cannot be the name of a file on this system: pass the path to write to`)
  }

  return name
}

/**
 * Check that a file may be written to a path. A regular file there is replaced, and so is a symlink to one or to
 * nothing.
 *
 * @throws {UsageError} the path is, or links to, a device, a pipe or a socket
 * @throws {TreeEntryError} the path is, or links to, a directory
 */
export async function checkFileTarget (target: string): Promise<void> {
  const stats = await stat(target).catch(() => undefined)

  if (stats?.isDirectory() === true) {
    throw new TreeEntryError(target, 'is a directory', { problem: 'is-directory' })
  }

  // a symlink would be replaced, and the system's own, such as /dev/stdout, must stay
  if ((stats != null && !stats.isFile()) || STREAMS.test(target)) {
    throw new UsageError(`${target} is not a regular file`, { problem: 'not-regular' })
  }
}

/**
 * Check that a new file does not overwrite anything.
 *
 * @throws {TreeEntryError} something has the path, even a symlink to nowhere
 */
export async function checkNoOverwrite (path: string): Promise<void> {
  if (await exists(path)) {
    throw new TreeEntryError(path, 'already exists', { problem: 'exists' })
  }
}

/**
 * Check that nothing has a path yet.
 *
 * @param what - what is to be written there, for the message
 */
export async function checkNothingThere (path: string, what: string): Promise<void> {
  if (await exists(path)) {
    const reason = `already exists, and ${what} is only written to a new path`

    throw new TreeEntryError(path, reason, { problem: 'in-the-way' })
  }
}

async function exists (path: string): Promise<boolean> {
  return lstat(path).then(() => true, () => false)
}

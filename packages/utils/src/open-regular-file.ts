import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Windows has neither. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants as Partial<typeof constants> & { O_RDONLY: number }

export interface OpenRegularFileOptions {
  /**
   * Whether a symlink to a file is followed.
   *
   * @default true
   */
  follow?: boolean | undefined
}

/**
 * Open a file that may be anything, to read it, without waiting for it: to open a named pipe would wait for its other
 * end.
 *
 * @throws {Error} it is not a regular file, or a system error
 */
export async function openRegularFile (
  path: string,
  { follow = true }: OpenRegularFileOptions = {}
): Promise<FileHandle> {
  const handle = await open(path, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW))

  try {
    const stats = await handle.stat({ bigint: true })

    if (stats.isFile() && (follow || isAt(path, stats))) {
      return handle
    }
  } catch (err) {
    await handle.close()
    throw err
  }

  await handle.close()
  throw new Error(`${path} is not a regular file`)
}

/**
 * The same, synchronously, and not through a symlink.
 *
 * @param flags - all of them, such as `O_RDWR | O_CREAT`
 * @throws {Error} it is not a regular file, or a system error
 */
export function openRegularFileSync (path: string, flags: number): number {
  const fd = openSync(path, flags | O_NONBLOCK | O_NOFOLLOW)

  try {
    const stats = fstatSync(fd, { bigint: true })

    if (stats.isFile() && isAt(path, stats)) {
      return fd
    }
  } catch (err) {
    closeSync(fd)
    throw err
  }

  closeSync(fd)
  throw new Error(`${path} is not a regular file`)
}

/** What tells one file from another. */
export type FileIds = Pick<BigIntStats, 'dev' | 'ino'>

/**
 * Whether what `stat` says of two is of one file. Of the device 32 bits count: on Windows, libuv before 1.51 says 64 of
 * a path, and 32 of an open file.
 */
export function isSameFile (one: FileIds, other: FileIds): boolean {
  return one.ino === other.ino && BigInt.asUintN(32, one.dev) === BigInt.asUintN(32, other.dev)
}

/**
 * Whether an open file is what its path names, and not what a symlink there leads to.
 *
 * @param flag - what the system takes to follow no symlinks. Without one, the file is compared with what the path names
 */
export function isAt (path: string, opened: FileIds, flag = O_NOFOLLOW): boolean {
  if (flag !== 0) {
    return true
  }

  const named = lstatSync(path, { bigint: true, throwIfNoEntry: false })

  return named != null && isSameFile(named, opened)
}

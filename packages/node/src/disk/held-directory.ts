import { closeSync, constants, lstatSync, openSync } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isSameFile } from '@ipfsz/utils/open-regular-file'
import { TreeEntryError } from '../errors.ts'
import type { BigIntStats } from 'node:fs'

/** Of Linux, where it opens a directory that may not be listed. Node has no name for it. */
const O_PATH = 0o10000000

/**
 * A directory that stays the same one, even if another user renames it or replaces it with a symlink.
 *
 * On Linux its `path` leads through an open file, as Node has no `openat`. On other systems, and without `/proc`, it is
 * the directory's own path: see `holdToWrite`.
 */
export class HeldDirectory {
  /** Leads to the directory. For the system, not for messages. */
  readonly path: string
  /** The path that the user knows, for messages. */
  readonly shown: string
  #fd: number | undefined

  /** @param fd - what the path leads through */
  constructor (path: string, shown: string, fd?: number) {
    this.path = path
    this.shown = shown
    this.#fd = fd
  }

  /** Whether it stays the same directory. Otherwise `path` is a path like any other. */
  get isHeld (): boolean {
    return this.#fd != null
  }

  /**
   * Hold a directory in this one.
   *
   * @throws {TreeEntryError} it is no directory: symlinks are not followed
   */
  async enter (name: string, shown = join(this.shown, name)): Promise<HeldDirectory> {
    return hold(`${this.path}/${name}`, shown, constants.O_NOFOLLOW)
  }

  /**
   * Check that an entry is still what was made under its name, before it is renamed.
   *
   * @param shown - its path for the error
   * @throws {TreeEntryError} something else has its name
   */
  async checkEntry (name: string, made: BigIntStats, shown: string): Promise<void> {
    if (!isSameFile(await lstat(`${this.path}/${name}`, { bigint: true }), made)) {
      throw new TreeEntryError(shown, 'was replaced by another program before it was complete')
    }
  }

  async close (): Promise<void> {
    const fd = this.#fd

    if (fd != null) {
      this.#fd = undefined
      closeSync(fd)
    }
  }
}

/** Hold a directory, or the one that a symlink leads to. */
export async function holdDirectory (path: string): Promise<HeldDirectory> {
  return hold(fromHere(path), path, 0)
}

/** A path below the working directory, relative to it: the path of that may lead elsewhere by now. */
function fromHere (path: string): string {
  try {
    const below = relative(process.cwd(), path)

    return below === '..' || below.startsWith(`..${sep}`) ? path : below || '.'
  } catch {
    // the working directory was deleted
    return path
  }
}

/** Hold a directory to write into it. */
export async function holdToWrite (path: string): Promise<HeldDirectory> {
  const held = await holdDirectory(path)
  const uid = process.getuid?.()

  // Windows says nothing of owners
  if (!held.isHeld && uid != null && !await isPrivate(path, uid)) {
    throw new TreeEntryError(
      path,
      'other users can rename this directory, its parents or its contents, and so redirect what is written: ' +
        'choose another directory'
    )
  }

  return held
}

/** Whether only this user and root can rename entries of a directory, and of each directory above it. */
export async function isPrivate (directory: string, uid: number): Promise<boolean> {
  let path = await realpath(directory)

  for (;;) {
    const { uid: owner, mode } = await stat(path)
    const isShared = (mode & 0o022) !== 0 && (mode & 0o1000) === 0

    if (isShared || (owner !== uid && owner !== 0)) {
      return false
    }

    if (path === dirname(path)) {
      return true
    }

    path = dirname(path)
  }
}

/** Whether open files have paths, which a chroot without `/proc` lacks. Undefined: nobody has looked. */
let hasProc: boolean | undefined

/** @param flags - O_NOFOLLOW, or 0 */
async function hold (path: string, shown: string, flags: number): Promise<HeldDirectory> {
  if (process.platform !== 'linux') {
    return unheld(path, shown, flags)
  }

  const fd = openPath(path, shown, flags)
  const through = `/proc/self/fd/${fd}`

  hasProc ??= lstatSync(through, { throwIfNoEntry: false })?.isSymbolicLink() === true

  if (hasProc) {
    return new HeldDirectory(through, shown, fd)
  }

  closeSync(fd)

  return unheld(path, shown, flags)
}

/** Synchronous: that waits for nothing, and a call of the thread pool takes five times as long. */
function openPath (path: string, shown: string, flags: number): number {
  try {
    return openSync(path, O_PATH | constants.O_DIRECTORY | flags)
  } catch (err) {
    const { code } = err as NodeJS.ErrnoException

    throw flags !== 0 && code === 'ENOTDIR'
      ? notDirectory(shown, err as Error)
      : Object.assign(err as Error, { path: shown })
  }
}

async function unheld (path: string, shown: string, flags: number): Promise<HeldDirectory> {
  const stats = await (flags === 0 ? stat : lstat)(path).catch((err: NodeJS.ErrnoException) => {
    throw Object.assign(err, { path: shown })
  })

  if (!stats.isDirectory()) {
    throw notDirectory(shown)
  }

  return new HeldDirectory(resolve(path), shown)
}

function notDirectory (path: string, cause?: Error): TreeEntryError {
  return new TreeEntryError(path, 'is no longer a directory: another program replaced it', { cause })
}

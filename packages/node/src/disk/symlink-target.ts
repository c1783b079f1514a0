import { platform } from 'node:process'
import { posix, win32 } from 'node:path'
import { isEntryName } from './entry-name.ts'

/** The most names of a target that `..` may undo. Each costs a lookup in the tree, and no honest symlink has many. */
const MAX_UNDONE = 32

/**
 * The target of a symlink of this system, as it is stored: with slashes, so that it leads to the same entry on every
 * system.
 *
 * @param system - as `process.platform`
 */
export function storedTarget (target: string, system: string = platform): string {
  return system === 'win32' ? target.replaceAll('\\', '/') : target
}

/**
 * Whether a symlink leads, or may lead, out of its tree: by an absolute path, or by climbing above the root.
 *
 * A name that `..` undoes must be a directory of the tree. If it were a symlink, `..` would be the parent of that
 * symlink's target. A target with more than 32 such names counts as leading out. If all symlinks of a tree pass this
 * check, none leads out through another one either.
 *
 * @param target - the path that the symlink holds
 * @param names - the directories from the root of the tree to the symlink
 * @param isDirectory - whether the tree has a directory, and not a symlink, at that path
 * @param system - as `process.platform`. On Windows, a part with a backslash, a colon or the like may lead anywhere
 */
export async function leadsOut (
  target: string,
  names: readonly string[],
  isDirectory: (names: readonly string[]) => Promise<boolean>,
  system: string = platform
): Promise<boolean> {
  const at = [...names]
  /** How many names at the end of `at` come from the target. */
  let forward = 0
  let undone = 0

  if ((system === 'win32' ? win32 : posix).isAbsolute(target)) {
    return true
  }

  for (const name of target.split('/')) {
    if (name === '' || name === '.') {
      continue
    }

    if (name !== '..') {
      if (!isEntryName(name, system)) {
        return true
      }

      at.push(name)
      forward++
      continue
    }

    if (at.length === 0 || (forward > 0 && (++undone > MAX_UNDONE || !await isDirectory(at)))) {
      return true
    }

    at.pop()
    forward = Math.max(0, forward - 1)
  }

  return false
}

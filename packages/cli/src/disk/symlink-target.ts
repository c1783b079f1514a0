import { isAbsolute } from 'node:path'

/** Each name that a `..` takes back costs a look into the tree, and no honest symlink has many. */
const MAX_TAKEN_BACK = 32

/**
 * Whether a symlink leads out of the tree that it is in, or may do so: by an absolute
 * path, or by climbing above the root.
 *
 * Where `..` takes back a name, that name must be a directory of the tree: behind one
 * that is a symlink, `..` is beside what that leads to. Of more than 32 such names it is
 * not known. As no symlink of a tree climbs
 * otherwise, none leads out through another one either.
 *
 * @param target - what the symlink holds
 * @param names - the directories from the root of the tree to the symlink
 * @param isDirectory - whether the tree has a directory there, and no symlink
 */
export async function leadsOut (target: string, names: readonly string[], isDirectory: (names: readonly string[]) => Promise<boolean>): Promise<boolean> {
  const at = [...names]
  /** How many names at the end come from the target. */
  let forward = 0
  let takenBack = 0

  if (isAbsolute(target)) {
    return true
  }

  for (const name of target.split('/')) {
    if (name === '' || name === '.') {
      continue
    }

    if (name !== '..') {
      at.push(name)
      forward++
      continue
    }

    if (at.length === 0 || (forward > 0 && (++takenBack > MAX_TAKEN_BACK || !await isDirectory(at)))) {
      return true
    }

    at.pop()
    forward = Math.max(0, forward - 1)
  }

  return false
}

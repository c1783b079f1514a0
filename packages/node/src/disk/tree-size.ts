import { lstatSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { GitIgnore } from './gitignore.ts'
import { holdDirectory } from './held-directory.ts'
import { HeldTree } from './held-tree.ts'
import { statInput } from './read-input.ts'
import { listNames } from './tree-source.ts'
import type { TreeSourceInit } from './tree-source.ts'

/** How many entries are examined before other work has its turn: a millisecond's worth. */
const ENTRIES = 256

type Options = Pick<TreeSourceInit, 'hidden' | 'ignore' | 'gitignore' | 'signal'>

/**
 * Bytes of files, and of all files that `treeSource` finds in directories. Made for progress bars: it takes a third of
 * the time of `treeSource`.
 */
export async function treeSize (paths: readonly string[], options: Options): Promise<number> {
  let size = 0

  for (const path of paths) {
    const stats = await statInput(path)

    size += stats.isDirectory() ? await sizeIn(path, options) : Number(stats.size)
  }

  return size
}

async function sizeIn (directory: string, options: Options): Promise<number> {
  const tree = new HeldTree(await holdDirectory(directory))
  const waiting = [{ below: '', above: options.gitignore ? await GitIgnore.above(directory) : undefined }]
  let size = 0
  let entries = 0

  try {
    for (let next = waiting.pop(); next != null; next = waiting.pop()) {
      const { below, above } = next

      await tree.within(below, async held => {
        const { names, git } = await listNames(held, below, { ...options, onHidden () {} }, above)

        for (const name of names) {
          const stats = lstatSync(`${held.path}/${name}`)

          if (stats.isDirectory()) {
            waiting.push({ below: below === '' ? name : `${below}/${name}`, above: git })
          } else if (stats.isFile()) {
            size += stats.size
          }

          if (++entries % ENTRIES === 0) {
            await setImmediate()
            options.signal.throwIfAborted()
          }
        }
      })
    }
  } finally {
    await tree.close()
  }

  return size
}

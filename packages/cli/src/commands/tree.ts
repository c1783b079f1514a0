import { walkContent } from '@ipfsz/node/find'
import { nameOf, withTarget } from '@ipfsz/node/read'
import { nodeContext } from '../context.ts'
import { noteLinks } from '../terminal/note-links.ts'
import { printable } from '../terminal/output.ts'
import { sizeCell } from '../terminal/row.ts'
import { count } from '../terminal/units.ts'
import { listedEntry, shownName } from './ls.ts'
import type { Context } from '../context.ts'

export interface TreeCommandOptions {
  /** How many levels of directories to show. */
  depth?: number
}

export async function tree (text: string, options: TreeCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const found = { directories: 0, files: 0, size: 0n }
  // for each level above the next entry, what is drawn at the left of it
  const branches: string[] = []

  await withTarget(nodeContext(context), text, { scope: 'block' }, async (target, { files }) => {
    if (!output.json) {
      output.row({}, [sizeCell(undefined), printable(nameOf(target))])
    }

    const entries = walkContent(target, files, { ...options, signal, onProgress: noteLinks(output) })

    for await (const { entry, path, depth, isLast } of entries) {
      const { directory, shown } = shownName(entry, path === '' ? nameOf(target) : entry.name)
      const size = directory || !(entry.sizeKnown ?? entry.type != null) ? undefined : entry.size
      branches.length = depth - 1
      output.row(
        { ...listedEntry(entry, path === '' ? nameOf(target) : path), depth },
        [sizeCell(size), `${branches.join('')}${isLast ? '└' : '├'}── ${shown}`]
      )
      branches.push(isLast ? '    ' : '│   ')
      found[directory ? 'directories' : 'files']++
      found.size += size ?? 0n
    }
  })

  if (!output.json) {
    const { directories, files, size } = found
    const directoryCount = `${directories} ${directories === 1 ? 'directory' : 'directories'}`
    output.row({}, [sizeCell(size), `${directoryCount}, ${count(files, 'file')}`])
  }
}

import * as node from '@ipfsz/node/car'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError, UsageError } from '../errors.ts'
import { resolvePath } from '../io.ts'
import { printable } from '../terminal/output.ts'
import { phraseCell } from '../terminal/row.ts'
import { sizeCell, tabbedRow } from '../terminal/row.ts'
import type { Context } from '../context.ts'
import type { CarSource } from '@ipfsz/node/car'

/** The path that stands for stdin or stdout. */
const STDIO = '-'

export async function exportCar (
  texts: string[],
  { output: path, force }: { output: string, force?: boolean },
  context: Context
): Promise<void> {
  const { io, output, signal } = context
  const isStdout = path === STDIO
  const { roots, size } = await node.exportCar(
    nodeContext(context),
    texts,
    isStdout ? async bytes => output.bytes(bytes, signal) : resolvePath(path, io),
    { force, measures: output.showsProgress }
  )

  for (const { plainCid, markedCid } of roots) {
    const [plain, marked] = [plainCid.toString(), markedCid?.toString()]
    const cells = [plain, marked ?? plain, isStdout ? '-' : printable(path), sizeCell(size)]

    if (isStdout) {
      // the CAR itself goes to stdout
      output.note(tabbedRow(cells))
    } else {
      output.row({ plainCid: plain, markedCid: marked, path, size }, cells)
    }
  }
}

export async function importCar (paths: string[], { sync }: { sync: boolean }, context: Context): Promise<void> {
  const { io, output } = context

  if (paths.filter(path => path === STDIO).length > 1) {
    throw new UsageError('- was passed more than once, but stdin can be read only once')
  }

  const sources = paths.map((path): CarSource => path === STDIO
    ? { name: 'stdin', content: io.stdin }
    : { name: printable(path), path: resolvePath(path, io) })
  const { failed, roots } = await node.importCars(nodeContext(context), sources, {
    sync,
    onRoot ({ cid, plainCid, markedCid }) {
      const [plain, marked] = [plainCid.toString(), markedCid?.toString()]

      output.row(
        { cid: cid.toString(), plainCid: plain, markedCid: marked },
        [plain, marked ?? phraseCell('not compressed', ['-'])]
      )
    },
    onFailed (error) { output.error(explain(error), error) }
  })

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${roots} roots were not pinned: see the errors above`)
  }
}

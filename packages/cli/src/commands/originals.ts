import * as node from '@ipfsz/node/originals'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { count } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { Original } from '@ipfsz/node/originals'

export interface IndexCommandOptions {
  /** Layouts that each file gets an original of, besides those that it is linked to. */
  layout?: string[]
}

export async function indexOriginals (
  texts: string[],
  { layout: layouts }: IndexCommandOptions,
  context: Context
): Promise<void> {
  const failed = await node.indexOriginals(nodeContext(context), texts, {
    layouts,
    onIndexed (original) { print(original, context) },
    onFailed (error) { context.output.error(explain(error), error) }
  })

  if (failed > 0) {
    throw new IncompleteError(`Could not index the originals of ${count(failed, 'file')}: see the errors above`)
  }
}

export async function listOriginals (context: Context): Promise<void> {
  let count = 0

  for await (const original of node.listOriginals(nodeContext(context))) {
    print(original, context)
    count++
  }

  if (count === 0) {
    context.output.note('no originals are indexed: to index those of linked files, run ipfsz originals index')
  }
}

function print ({ original, compressed, type, layout }: Original, { output }: Context): void {
  output.row(
    { original: original.toString(), compressed: compressed.toString(), type, layout },
    [original.toString(), compressed.toString(), layout ?? type]
  )
}

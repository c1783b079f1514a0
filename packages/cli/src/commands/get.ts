import { getContent } from '@ipfsz/node/get'
import { nodeContext } from '../context.ts'
import { UsageError } from '../errors.ts'
import { printable } from '../terminal/output.ts'
import { sizeCell } from '../terminal/row.ts'
import { cat } from './cat.ts'
import { withSmallHeap } from './little-memory.ts'
import type { Context } from '../context.ts'
import type { GetContentOptions } from '@ipfsz/node/get'

/** The output that stands for stdout. */
const STDOUT = '-'

export interface GetCommandOptions extends Omit<GetContentOptions, 'maxWindowSize' | 'place'> {
  /** Where to write; `-` is stdout. Default: the last name of the path, or the CID, in the working directory. */
  output?: string
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

export async function get (
  text: string,
  { maxWindow, ...options }: GetCommandOptions,
  context: Context
): Promise<void> {
  if (options.output === STDOUT) {
    await cat(text, { maxWindow }, context)
    return
  }

  const { cid, path, size, counts } = await withSmallHeap(async () => getContent(
    nodeContext(context),
    text,
    { ...options, place: context.io, maxWindowSize: maxWindow }
  )).catch((err: unknown) => {
    throw err instanceof UsageError && err.problem === 'not-regular'
      ? new UsageError(`${err.message}: to write to it, use ipfsz cat ${text} > ${options.output}`, { cause: err })
      : err
  })

  context.output.row({ cid: cid.toString(), path, ...counts, size }, [printable(path), sizeCell(size)])
}

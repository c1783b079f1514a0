import { unmark } from '@ipfsz/core'
import { openFilesToRead } from '../context.ts'
import { printable } from '../output.ts'
import { knownSize, Progress } from '../progress.ts'
import { parseTarget } from '../target.ts'
import type { Context } from '../context.ts'

export interface CatCommandOptions {
  offset?: number
  length?: number
  /** The bytes as they are stored. */
  raw: boolean
  /** The most bytes that a stream of others may look back to. */
  maxWindow?: number
}

/** Write a file, or a part of it, to stdout. */
export async function cat (text: string, { offset, length, raw, maxWindow: maxWindowSize }: CatCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const { cid, path } = parseTarget(text)
  const files = await openFilesToRead(context)
  const source = raw ? unmark(cid) : cid
  // nothing is drawn over what is written to the terminal
  const progress = process.stdout.isTTY ? undefined : new Progress(printable(text), length ?? knownSize(await files.stat(source, { path, signal })))
  let done = 0

  try {
    for await (const bytes of files.cat(source, { path, offset, length, signal, maxWindowSize })) {
      await output.bytes(bytes, signal)
      progress?.update(done += bytes.byteLength)
    }
  } finally {
    progress?.end()
  }
}

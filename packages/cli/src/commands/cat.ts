import { unmark } from '@ipfsz/core'
import { openFilesToRead } from '../context.ts'
import { printable } from '../output.ts'
import { Progress } from '../progress.ts'
import { parseTarget } from '../target.ts'
import type { Context } from '../context.ts'

export interface CatCommandOptions {
  offset?: number
  length?: number
  /** The bytes as they are stored. */
  raw: boolean
}

/** Write a file, or a part of it, to stdout. */
export async function cat (text: string, { offset, length, raw }: CatCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const { cid, path } = parseTarget(text)
  const files = await openFilesToRead(context)
  const source = raw ? unmark(cid) : cid
  // nothing is drawn over what is written to the terminal
  const progress = process.stdout.isTTY ? undefined : new Progress(printable(text), length ?? Number((await files.stat(source, { path, signal })).size))
  let done = 0

  try {
    for await (const bytes of files.cat(source, { path, offset, length, signal })) {
      await output.bytes(bytes, signal)
      progress?.update(done += bytes.byteLength)
    }
  } finally {
    progress?.end()
  }
}

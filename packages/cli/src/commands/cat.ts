import { unmark } from '@ipfsz/core'
import { openFilesToRead, parseCid } from '../context.ts'
import { Progress } from '../progress.ts'
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
  const cid = parseCid(text)
  const files = await openFilesToRead(context)
  const source = raw ? unmark(cid) : cid
  // nothing is drawn over what is written to the terminal
  const progress = process.stdout.isTTY ? undefined : new Progress(text, length ?? Number((await files.stat(source, { signal })).size))
  let done = 0

  try {
    for await (const bytes of files.cat(source, { offset, length, signal })) {
      await output.bytes(bytes, signal)
      progress?.update(done += bytes.byteLength)
    }
  } finally {
    progress?.end()
  }
}

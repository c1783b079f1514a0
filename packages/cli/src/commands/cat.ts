import { unmark } from '@ipfsz/core'
import { openFiles, parseCid } from '../context.ts'
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
  const files = await openFiles(context)

  for await (const bytes of files.cat(raw ? unmark(cid) : cid, { offset, length, signal })) {
    await output.bytes(bytes)
  }
}

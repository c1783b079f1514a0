import { unmark } from '@ipfsz/core'
import { withReading } from '../context.ts'
import { noteLinks } from '../terminal/note-links.ts'
import { knownSize } from '../terminal/progress.ts'
import { parseTarget } from '../target.ts'
import type { Context } from '../context.ts'
import type { Target } from '../target.ts'
import type { Ipfsz } from '@ipfsz/core'

export interface CatCommandOptions {
  offset?: number
  length?: number
  /** The bytes as they are stored. */
  raw: boolean
  /** The most bytes that a stream of others may look back to. */
  maxWindow?: number
}

/** Write a file, or a part of it, to stdout. */
export async function cat (text: string, options: CatCommandOptions, context: Context): Promise<void> {
  const target = parseTarget(text)

  await withReading(context, target.cid, async ({ files }) => { await write(target, files, options, context) })
}

async function write ({ cid, path, text }: Target, files: Ipfsz, { offset, length, raw, maxWindow: maxWindowSize }: CatCommandOptions, { output, signal }: Context): Promise<void> {
  const onProgress = noteLinks(output)
  // by an original the stored bytes are those of the compressed file that it is linked to
  const source = raw ? { cid: (await files.stat(unmark(cid), { path, signal, onProgress })).plainCid } : { cid, path }
  // nothing is drawn over what is written to the terminal
  const progress = output.stdout.isTTY === true ? undefined : output.progress(text, length ?? knownSize(await files.stat(source.cid, { path: source.path, signal })))
  let done = 0

  try {
    for await (const bytes of files.cat(source.cid, { path: source.path, offset, length, signal, maxWindowSize, onProgress })) {
      await output.bytes(bytes, signal)
      progress?.update(done += bytes.byteLength)
    }
  } finally {
    progress?.end()
  }
}

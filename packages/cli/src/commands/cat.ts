import { unmark } from '@ipfsz/core'
import { withTarget } from '@ipfsz/node/read'
import { nodeContext } from '../context.ts'
import { noteLinks } from '../terminal/note-links.ts'
import { knownSize } from '../terminal/progress.ts'
import type { Context } from '../context.ts'
import type { CidPath } from '@ipfsz/node/read'
import type { Ipfsz } from '@ipfsz/core'

export interface CatCommandOptions {
  offset?: number
  length?: number
  /** Write the bytes as stored, without decompressing. */
  raw?: boolean
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

export async function cat (text: string, options: CatCommandOptions, context: Context): Promise<void> {
  const isRange = options.offset != null || options.length != null

  await withTarget(
    nodeContext(context),
    text,
    { scope: isRange ? 'block' : 'entity' },
    async (target, { files }) => { await write(target, files, options, context) }
  )
}

async function write (
  { cid, path, text }: CidPath,
  files: Ipfsz,
  { offset, length, raw, maxWindow: maxWindowSize }: CatCommandOptions,
  { output, signal }: Context
): Promise<void> {
  const onProgress = noteLinks(output)
  // the CID of an original is linked to a compressed file, whose bytes are the stored ones
  const file = raw === true
    ? await files.open((await files.stat(unmark(cid), { path, signal, onProgress })).plainCid, { signal })
    : await files.open(cid, { path, signal })
  // no progress bar over a file that is written to the terminal
  const progress = output.stdout.isTTY === true
    ? undefined
    : output.progress(text, length ?? knownSize(file.stats))

  try {
    // output.bytes returns when they are written
    const content = file.read({ offset, length, signal, maxWindowSize, onProgress, transient: true })

    for await (const bytes of content) {
      await output.bytes(bytes, signal)
      progress?.add(bytes.byteLength)
    }
  } finally {
    progress?.end()
  }
}

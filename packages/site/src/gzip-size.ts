import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { openRegularFile } from '@ipfsz/utils/open-regular-file'

/** What web servers are usually told to compress while they send it: text, and what shrinks like text. */
const COMPRESSIBLE = /\.(?:x?html?|css|m?js|json|map|svg|txt|md|csv|xml|rss|atom|webmanifest|wasm|ico|ttf|otf|eot)$/i

/** Of a larger file, so much is compressed, and the rest assumed to be like it, 16 MiB. */
const SAMPLE_SIZE = 16 * 1024 * 1024

/** Files that are compressed at the same time. */
const CONCURRENCY = 4

/** How many bytes a server sends for the files of a directory if it compresses them with gzip, at its usual level. */
export async function gzipSizeOfFiles (
  directory: string,
  paths: readonly string[],
  signal: AbortSignal
): Promise<number> {
  const left = [...paths]
  let total = 0

  const work = async (): Promise<void> => {
    for (let path = left.pop(); path != null; path = left.pop()) {
      const size = await gzipSizeOfFile(join(directory, path), signal).catch(() => {
        signal.throwIfAborted()

        // gone by now, and it is an estimate
        return 0
      })
      total += size
    }
  }

  await Promise.all(Array.from({ length: CONCURRENCY }, work))

  return total
}

async function gzipSizeOfFile (path: string, signal: AbortSignal): Promise<number> {
  const { size } = await stat(path)

  if (size === 0 || !COMPRESSIBLE.test(path)) {
    return size
  }

  const sampled = Math.min(size, SAMPLE_SIZE)
  let length = 0
  const file = await openRegularFile(path)
  const bytes = file.createReadStream({ end: sampled - 1 })
  await pipeline(bytes, createGzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const { byteLength } of chunks) {
      length += byteLength
    }
  }, { signal })

  // what does not shrink is sent as it is
  return Math.min(Math.round(length * size / sampled), size)
}

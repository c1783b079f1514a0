import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import type { CompressionOptions } from '@ipfsz/core'

/** Bytes of a file and of its next release. */
export interface Release {
  size: number
  /** With gzip, as servers send it. */
  gzip: number
  /** Compressed alone. */
  alone: number
  /** As differences to the first release. Undefined: it has too little in common with that. */
  changed?: number
  /** Whether all of it is right when it is read back. */
  isRight: boolean
}

/** What a server sends before the frames, for a browser that has the first release (RFC 9842, section 5). */
const DCZ_HEADER = 40

/** As `ipfsz site add` compresses files. */
const COMPRESSION: CompressionOptions = {
  codec: 'zstd', level: 19, frameSize: 1024 * 1024, basedFrameSize: 8 * 1024 * 1024
}

/** Add a file and its next release, and count the bytes of the second. */
export async function measureRelease (first: Uint8Array, next: Uint8Array<ArrayBuffer>): Promise<Release> {
  const fs = ipfsz({ blockstore: new MemoryBlockstore() })
  const base = await fs.addBytes(first, { compression: COMPRESSION })
  const alone = await fs.addBytes(next, { compression: COMPRESSION })
  const cid = await fs.addBytes(next, { compression: { ...COMPRESSION, base } })
  const { based } = await fs.open(cid)

  return {
    size: next.byteLength,
    gzip: await gzipSize(next),
    alone: Number((await fs.stat(alone)).storedSize),
    ...based == null ? {} : { changed: based.length + DCZ_HEADER },
    isRight: equals(next, await new Response(toStream(fs.cat(cid))).bytes())
  }
}

async function gzipSize (bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  return (await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))).bytes()).byteLength
}

function toStream (chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()

  return new ReadableStream({
    async pull (controller) {
      const { done, value } = await iterator.next()

      if (done === true) {
        controller.close()
      } else {
        controller.enqueue(value)
      }
    }
  })
}

function equals (a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i])
}

/** The worker of the floor in a page. */
import { zstd } from '@ipfsz/codecs/zstd'

/** A call to a worker. Its bytes are transferred, and so are those of the answer. */
export type FloorCall = { id: number, compress: Uint8Array } | { id: number, decompress: Uint8Array, size: number }

export interface FloorAnswer {
  id: number
  bytes: Uint8Array
}

/** The globals of a Web Worker. */
declare const self: {
  addEventListener (type: 'message', listener: (event: { data: FloorCall }) => void): void
  postMessage (message: FloorAnswer, transfer: ArrayBufferLike[]): void
}

/** Compress and decompress what is sent, on this thread. */
export function serveFloor (): void {
  const codec = zstd({ workers: false })

  self.addEventListener('message', async ({ data }) => {
    const bytes = 'compress' in data
      ? await codec.compress(data.compress)
      : await codec.decompress(data.decompress, { size: data.size })

    self.postMessage({ id: data.id, bytes }, [bytes.buffer])
  })
}

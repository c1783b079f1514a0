import { ipfsz, unmark } from '@ipfsz/core'
import { HttpSource } from '@ipfsz/core/http'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import type { GatewayPool } from '@ipfsz/core/http'

/** The most bytes of a file that a page holds, 64 MiB. */
export const DEFAULT_MAX_SIZE = 64 * 1024 * 1024

export interface ReadOptions {
  /** The gateways to ask. What they send is compared with the CID. */
  pool: GatewayPool
  /** Of the file, if the CID is that of a directory. */
  path?: string | undefined
  /** In bytes. */
  maxSize?: number | undefined
  signal: AbortSignal
  /** Called with the bytes so far, and with those of the whole file if they are known. */
  onProgress?: (received: number, size: number | undefined) => void
}

/** Thrown when a file has more bytes than a page may hold. */
export class FileTooLargeError extends Error {
  static override readonly name = 'FileTooLargeError'
  override readonly name = 'FileTooLargeError'
  readonly maxSize: number

  constructor (maxSize: number) {
    super(`The file exceeds the limit of ${maxSize} bytes`)
    this.maxSize = maxSize
  }
}

/**
 * Read a file from gateways: with a marked CID the original bytes, with a plain one those that are stored.
 *
 * @throws {SyntaxError} it is not a CID
 * @throws {FileTooLargeError}
 * @throws {GatewaysFailedError} no gateway sent a block
 * @throws {FetchStalledError} the gateways keep silent
 */
export async function readFile (cid: string, options: ReadOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { pool, path = '', maxSize = DEFAULT_MAX_SIZE, signal, onProgress } = options
  const root = CID.parse(cid)
  const source = new HttpSource({ root: unmark(root), pool, plan: { path, scope: 'entity' } })
  const files = ipfsz({ blockstore: new MemoryBlockstore(), sources: [source] })

  try {
    const stats = await files.stat(root, { path, signal })
    // of a stream that another tool compressed, the size is known at its end
    const size = stats.sizeKnown === false ? undefined : Number(stats.size)
    const chunks: Uint8Array[] = []
    let received = 0

    if (size != null && size > maxSize) {
      throw new FileTooLargeError(maxSize)
    }

    for await (const chunk of files.cat(root, { path, signal })) {
      received += chunk.byteLength

      if (received > maxSize) {
        throw new FileTooLargeError(maxSize)
      }

      chunks.push(chunk)
      onProgress?.(received, size)
    }

    return concat(chunks, received)
  } finally {
    source.close()
  }
}

function concat (chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let offset = 0

  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }

  return bytes
}

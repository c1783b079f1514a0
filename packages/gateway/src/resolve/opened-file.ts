import type { GatewayComponents } from '../contract.ts'
import type { FileHandle, FileReadOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/**
 * A file that a response reads. It is open from when its path was resolved on, so that its root is read once. While the
 * response waits for memory or for its client, nothing of it is kept: then it is opened again.
 */
export class OpenedFile {
  readonly #cid: CID
  readonly #fs: Pick<GatewayComponents['fs'], 'open'>
  #handle: FileHandle | undefined

  /** @param cid - reads the original bytes */
  constructor (cid: CID, fs: Pick<GatewayComponents['fs'], 'open'>, handle?: FileHandle) {
    this.#cid = cid
    this.#fs = fs
    this.#handle = handle
  }

  async open (signal: AbortSignal): Promise<FileHandle> {
    return this.#handle ??= await this.#fs.open(this.#cid, { signal })
  }

  /** @param keepsOpen - whether more is read of it at once. Otherwise it is closed at the end */
  async * read (
    { keepsOpen = false, ...options }: FileReadOptions & { signal: AbortSignal, keepsOpen?: boolean }
  ): AsyncGenerator<Uint8Array> {
    try {
      yield * (await this.open(options.signal)).read(options)
    } finally {
      if (!keepsOpen) {
        this.close()
      }
    }
  }

  close (): void {
    this.#handle?.close()
    this.#handle = undefined
  }
}

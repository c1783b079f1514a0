import { DefaultIpfsz } from '../ipfsz.ts'
import { pinInKubo } from './pin.ts'
import type {
  AddAllOptions,
  AddCandidateStream,
  AddFileOptions,
  AddOptions,
  ByteStream,
  DirectoryCandidate,
  FileCandidate,
  ImportResult
} from '../unixfs.ts'
import type { KuboClient } from './client.ts'
import type { CID } from 'multiformats/cid'

/** Pins what was added before it returns its CID. */
export class KuboIpfsz extends DefaultIpfsz {
  readonly #client: KuboClient
  readonly #pinTimeout: number

  constructor (init: ConstructorParameters<typeof DefaultIpfsz>[0], client: KuboClient, pinTimeout: number) {
    super(init)
    this.#client = client
    this.#pinTimeout = pinTimeout
  }

  /** Pins only top-level results, which keeps everything below them. */
  override async * addAll (source: AddCandidateStream, options: AddAllOptions = {}): AsyncGenerator<ImportResult> {
    const { wrapWithDirectory = false } = options
    // the last result is the wrapping directory
    let last: ImportResult | undefined

    for await (const result of super.addAll(source, options)) {
      if (last != null) {
        yield last
      }

      if (!wrapWithDirectory && result.path?.includes('/') !== true) {
        await this.#pinned(result.cid, options)
      }

      last = result
    }

    if (last != null) {
      if (wrapWithDirectory) {
        await this.#pinned(last.cid, options)
      }

      yield last
    }
  }

  override async addBytes (bytes: Uint8Array, options?: AddFileOptions): Promise<CID> {
    return this.#pinned(await super.addBytes(bytes, options), options)
  }

  override async addByteStream (bytes: ByteStream, options?: AddFileOptions): Promise<CID> {
    return this.#pinned(await super.addByteStream(bytes, options), options)
  }

  override async addFile (file: FileCandidate, options?: AddFileOptions): Promise<CID> {
    return this.#pinned(await super.addFile(file, options), options)
  }

  override async addDirectory (directory?: Partial<DirectoryCandidate>, options?: AddFileOptions): Promise<CID> {
    return this.#pinned(await super.addDirectory(directory, options), options)
  }

  async #pinned (cid: CID, { signal }: AddOptions = {}): Promise<CID> {
    await pinInKubo(this.#client, cid, { signal, timeout: this.#pinTimeout })

    return cid
  }
}

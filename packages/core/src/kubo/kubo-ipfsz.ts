import { pinInKubo } from './pin.ts'
import type { Ipfsz } from '../contract.ts'
import type { FileHandle, OpenOptions } from '../file-handle.ts'
import type {
  AddAllOptions,
  AddCandidateStream,
  AddFileOptions,
  AddOptions,
  ByteStream,
  CatOptions,
  ChmodOptions,
  CpOptions,
  DirectoryCandidate,
  DirectoryEntry,
  ExtendedStatOptions,
  ExtendedStats,
  FileCandidate,
  ImportResult,
  LsOptions,
  MkdirOptions,
  RmOptions,
  Stats,
  StatOptions,
  TouchOptions
} from '../unixfs.ts'
import type { VerifyOptions, VerifyReport } from '../verification.ts'
import type { KuboClient } from './client.ts'
import type { Codec } from '@ipfsz/codecs'
import type { Links } from '../links/links.ts'
import type { CID } from 'multiformats/cid'

/** Forwards each verb, and pins what was added before returning its CID. */
export class KuboIpfsz implements Ipfsz {
  readonly codecs: readonly Codec[]
  readonly links: Links
  readonly #files: Ipfsz
  readonly #client: KuboClient
  readonly #pinTimeout: number

  constructor (files: Ipfsz, client: KuboClient, pinTimeout: number) {
    this.codecs = files.codecs
    this.links = files.links
    this.#files = files
    this.#client = client
    this.#pinTimeout = pinTimeout
  }

  /** Pins only top-level results, which keeps everything below them. */
  async * addAll (source: AddCandidateStream, options: AddAllOptions = {}): AsyncGenerator<ImportResult> {
    const { wrapWithDirectory = false } = options
    // the last result is the wrapping directory
    let last: ImportResult | undefined

    for await (const result of this.#files.addAll(source, options)) {
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

  async addBytes (bytes: Uint8Array, options?: AddFileOptions): Promise<CID> {
    return this.#pinned(await this.#files.addBytes(bytes, options), options)
  }

  async addByteStream (bytes: ByteStream, options?: AddFileOptions): Promise<CID> {
    return this.#pinned(await this.#files.addByteStream(bytes, options), options)
  }

  async addFile (file: FileCandidate, options?: AddFileOptions): Promise<CID> {
    return this.#pinned(await this.#files.addFile(file, options), options)
  }

  async addDirectory (directory?: Partial<DirectoryCandidate>, options?: AddFileOptions): Promise<CID> {
    return this.#pinned(await this.#files.addDirectory(directory, options), options)
  }

  blocks (root: CID): ReturnType<Ipfsz['blocks']> {
    return this.#files.blocks(root)
  }

  cat (cid: CID, options?: CatOptions): AsyncIterable<Uint8Array> {
    return this.#files.cat(cid, options)
  }

  async chmod (cid: CID, mode: number, options?: ChmodOptions): Promise<CID> {
    return this.#files.chmod(cid, mode, options)
  }

  async cp (source: CID, target: CID, name: string, options?: CpOptions): Promise<CID> {
    return this.#files.cp(source, target, name, options)
  }

  ls (cid: CID, options?: LsOptions): AsyncIterable<DirectoryEntry> {
    return this.#files.ls(cid, options)
  }

  async mkdir (cid: CID, dirname: string, options?: MkdirOptions): Promise<CID> {
    return this.#files.mkdir(cid, dirname, options)
  }

  async open (cid: CID, options?: OpenOptions): Promise<FileHandle> {
    return this.#files.open(cid, options)
  }

  async rm (cid: CID, path: string, options?: RmOptions): Promise<CID> {
    return this.#files.rm(cid, path, options)
  }

  async stat (cid: CID, options?: StatOptions): Promise<Stats>
  async stat (cid: CID, options?: ExtendedStatOptions): Promise<ExtendedStats>
  async stat (cid: CID, options?: StatOptions): Promise<Stats> {
    return this.#files.stat(cid, options)
  }

  async touch (cid: CID, options?: TouchOptions): Promise<CID> {
    return this.#files.touch(cid, options)
  }

  async verify (cid: CID, options?: VerifyOptions): Promise<VerifyReport> {
    return this.#files.verify(cid, options)
  }

  async #pinned (cid: CID, { signal }: AddOptions = {}): Promise<CID> {
    await pinInKubo(this.#client, cid, { signal, timeout: this.#pinTimeout })

    return cid
  }
}

import { addDirectory } from './commands/add-directory.ts'
import { addAll, addContent, addFile } from './commands/add.ts'
import { chmod, cp, mkdir, rm, touch } from './commands/change.ts'
import { verify } from './commands/verify.ts'
import { FileReader } from './file-reader.ts'
import type { Ipfsz } from './contract.ts'
import type { FileReaderInit } from './file-reader.ts'
import type { Links } from './links/links.ts'
import type { AddSettings, Settings } from './settings.ts'
import type {
  AddAllOptions,
  AddCandidateStream,
  AddFileOptions,
  ByteStream,
  ChmodOptions,
  CpOptions,
  DirectoryCandidate,
  FileCandidate,
  ImportResult,
  MkdirOptions,
  RmOptions,
  TouchOptions
} from './unixfs.ts'
import type { VerifyOptions, VerifyReport } from './verification.ts'
import type { CID } from 'multiformats/cid'

/** Forwards each verb to its command. */
export class DefaultIpfsz extends FileReader<Settings> implements Ipfsz {
  readonly links: Links

  constructor (init: FileReaderInit<Settings>) {
    super(init)
    this.links = init.links
  }

  /** What adding works with: a base is read like any other file. */
  get #adding (): AddSettings {
    return { ...this.settings, below: base => this.below(base) }
  }

  addAll (source: AddCandidateStream, options?: AddAllOptions): AsyncIterable<ImportResult> {
    return addAll(source, this.#adding, options)
  }

  async addBytes (bytes: Uint8Array, options?: AddFileOptions): Promise<CID> {
    return addContent(bytes, this.#adding, options)
  }

  async addByteStream (bytes: ByteStream, options?: AddFileOptions): Promise<CID> {
    return addContent(bytes, this.#adding, options)
  }

  async addFile (file: FileCandidate, options?: AddFileOptions): Promise<CID> {
    return addFile(file, this.#adding, options)
  }

  async addDirectory (directory?: Partial<DirectoryCandidate>, options?: AddFileOptions): Promise<CID> {
    return addDirectory(directory, this.#adding, options)
  }

  async chmod (cid: CID, mode: number, options?: ChmodOptions): Promise<CID> {
    return chmod(cid, mode, this.below(cid), options)
  }

  async cp (source: CID, target: CID, name: string, options?: CpOptions): Promise<CID> {
    return cp(source, target, name, this.below(target), options)
  }

  async mkdir (cid: CID, dirname: string, options?: MkdirOptions): Promise<CID> {
    return mkdir(cid, dirname, this.below(cid), options)
  }

  async rm (cid: CID, path: string, options?: RmOptions): Promise<CID> {
    return rm(cid, path, this.below(cid), options)
  }

  async touch (cid: CID, options?: TouchOptions): Promise<CID> {
    return touch(cid, this.below(cid), options)
  }

  async verify (cid: CID, options?: VerifyOptions): Promise<VerifyReport> {
    return verify(cid, this.below(cid), options)
  }
}

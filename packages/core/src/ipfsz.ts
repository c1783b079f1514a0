import { addDirectory } from './commands/add-directory.ts'
import { addAll, addContent, addFile } from './commands/add.ts'
import { cat } from './commands/cat.ts'
import { chmod } from './commands/chmod.ts'
import { cp } from './commands/cp.ts'
import { ls } from './commands/ls.ts'
import { mkdir } from './commands/mkdir.ts'
import { rm } from './commands/rm.ts'
import { stat } from './commands/stat.ts'
import { storedFile } from './commands/stored-file.ts'
import { touch } from './commands/touch.ts'
import { verify } from './commands/verify.ts'
import { blocksBelow } from './fetch/blocks-below.ts'
import { BlockFetcher } from './fetch/block-fetcher.ts'
import { FetchScope } from './fetch/fetch-scope.ts'
import { FetchedBlocks } from './fetch/fetched-blocks.ts'
import { fetchingBlockstore } from './fetch/fetching-blockstore.ts'
import { heliaSource } from './fetch/helia-source.ts'
import { RootCache } from './read/root-cache.ts'
import type { Ipfsz } from './contract.ts'
import type { BlocksBelow } from './fetch/blocks-below.ts'
import type { ProviderRouting } from './fetch/fetch-scope.ts'
import type { FetchSettings } from './fetch/init.ts'
import type { BlockSource } from './fetch/source.ts'
import type { Links } from './links/links.ts'
import type { Settings } from './settings.ts'
import type {
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
  ImportCandidateStream,
  ImportResult,
  LsOptions,
  MkdirOptions,
  RmOptions,
  Stats,
  StatOptions,
  StoredFile,
  StoredFileOptions,
  TouchOptions
} from './unixfs.ts'
import type { VerifyOptions, VerifyReport } from './verification.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

interface DefaultIpfszInit extends Omit<Settings, 'roots'> {
  fetch: FetchSettings
  routing: ProviderRouting | undefined
  sources: readonly BlockSource[]
}

/** Forwards each verb to its command. */
export class DefaultIpfsz implements Ipfsz {
  readonly codecs: readonly Codec[]
  readonly links: Links
  readonly #settings: Settings
  readonly #fetcher: BlockFetcher
  readonly #fetched: FetchedBlocks
  readonly #hasSources: boolean
  readonly #routing: ProviderRouting | undefined

  constructor (
    { fetch, routing, sources, ...settings }: DefaultIpfszInit
  ) {
    this.codecs = settings.codecs
    this.links = settings.links
    this.#settings = { ...settings, roots: new RootCache() }
    this.#hasSources = sources.length > 0
    this.#fetcher = new BlockFetcher(this.#hasSources ? sources : [heliaSource(settings.blockstore)], fetch)
    this.#fetched = new FetchedBlocks(settings.blockstore, this.#fetcher)
    this.#routing = routing
  }

  addAll (source: ImportCandidateStream, options?: AddOptions): AsyncIterable<ImportResult> {
    return addAll(source, this.#settings, options)
  }

  async addBytes (bytes: Uint8Array, options?: AddFileOptions): Promise<CID> {
    return addContent(bytes, this.#settings, options)
  }

  async addByteStream (bytes: ByteStream, options?: AddFileOptions): Promise<CID> {
    return addContent(bytes, this.#settings, options)
  }

  async addFile (file: FileCandidate, options?: AddFileOptions): Promise<CID> {
    return addFile(file, this.#settings, options)
  }

  async addDirectory (directory?: Partial<DirectoryCandidate>, options?: AddFileOptions): Promise<CID> {
    return addDirectory(directory, this.#settings, options)
  }

  blocks (root: CID): BlocksBelow {
    return blocksBelow(this.#below(root).blockstore)
  }

  cat (cid: CID, options?: CatOptions): AsyncIterable<Uint8Array> {
    return cat(cid, this.#below(cid), options)
  }

  async chmod (cid: CID, mode: number, options?: ChmodOptions): Promise<CID> {
    return chmod(cid, mode, this.#below(cid), options)
  }

  async cp (source: CID, target: CID, name: string, options?: CpOptions): Promise<CID> {
    return cp(source, target, name, this.#below(target), options)
  }

  ls (cid: CID, options?: LsOptions): AsyncIterable<DirectoryEntry> {
    return ls(cid, this.#below(cid), options)
  }

  async mkdir (cid: CID, dirname: string, options?: MkdirOptions): Promise<CID> {
    return mkdir(cid, dirname, this.#below(cid), options)
  }

  async rm (cid: CID, path: string, options?: RmOptions): Promise<CID> {
    return rm(cid, path, this.#below(cid), options)
  }

  async stat (cid: CID, options?: StatOptions): Promise<Stats>
  async stat (cid: CID, options?: ExtendedStatOptions): Promise<ExtendedStats>
  async stat (cid: CID, options?: ExtendedStatOptions | StatOptions): Promise<Stats> {
    return stat(cid, this.#below(cid), options)
  }

  async storedFile (cid: CID, options?: StoredFileOptions): Promise<StoredFile | undefined> {
    return storedFile(cid, this.#below(cid), options)
  }

  async touch (cid: CID, options?: TouchOptions): Promise<CID> {
    return touch(cid, this.#below(cid), options)
  }

  async verify (cid: CID, options?: VerifyOptions): Promise<VerifyReport> {
    return verify(cid, this.#below(cid), options)
  }

  /** The settings, with a blockstore that fetches the missing blocks below `root`. */
  #below (root: CID): Settings {
    const blockstore = fetchingBlockstore({
      blockstore: this.#settings.blockstore,
      fetched: this.#fetched,
      scope: new FetchScope(root, this.#routing),
      readAheadBytes: this.#fetcher.window.maxBytes,
      hasSources: this.#hasSources
    })

    return { ...this.#settings, blockstore }
  }
}

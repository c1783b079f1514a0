import { ls } from './commands/ls.ts'
import { cat, open, stat } from './commands/open.ts'
import { blocksBelow } from './fetch/blocks-below.ts'
import { BlockFetcher } from './fetch/block-fetcher.ts'
import { FetchScope } from './fetch/fetch-scope.ts'
import { FetchingBlockstore } from './fetch/fetching-blockstore.ts'
import { heliaSource } from './fetch/helia-source.ts'
import { RootCache } from './read/root-cache.ts'
import type { IpfszReader } from './contract.ts'
import type { BlocksBelow, BlocksOptions } from './fetch/blocks-below.ts'
import type { ProviderRouting } from './fetch/fetch-scope.ts'
import type { FetchSettings } from './fetch/init.ts'
import type { BlockSource } from './fetch/source.ts'
import type { FileHandle, OpenOptions } from './file-handle.ts'
import type { ReadSettings } from './read/read-settings.ts'
import type {
  CatOptions,
  DirectoryEntry,
  ExtendedStatOptions,
  ExtendedStats,
  LsOptions,
  Stats,
  StatOptions
} from './unixfs.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

export type FileReaderInit<S extends ReadSettings = ReadSettings> = Omit<S, 'roots'> & {
  fetch: FetchSettings
  routing: ProviderRouting | undefined
  sources: readonly BlockSource[]
}

/** Forwards the verbs that read to their commands. */
export class FileReader<S extends ReadSettings = ReadSettings> implements IpfszReader {
  readonly codecs: readonly Codec[]
  /** What every command works with. */
  protected readonly settings: S
  readonly #fetcher: BlockFetcher
  /** Blocks that have arrived and are being written, by key. */
  readonly #storing = new Map<string, Promise<Uint8Array>>()
  readonly #sources: readonly BlockSource[]
  readonly #routing: ProviderRouting | undefined

  constructor ({ fetch, routing, sources, ...settings }: FileReaderInit<S>) {
    this.codecs = settings.codecs
    this.settings = { ...settings, roots: new RootCache() } as unknown as S
    this.#sources = sources
    this.#fetcher = new BlockFetcher(sources.length > 0 ? sources : [heliaSource(settings.blockstore)], fetch)
    this.#routing = routing
  }

  blocks (root: CID, options?: BlocksOptions): BlocksBelow {
    return blocksBelow(this.below(root).blockstore, options)
  }

  cat (cid: CID, options?: CatOptions): AsyncIterable<Uint8Array> {
    return cat(cid, this.below(cid), options)
  }

  ls (cid: CID, options?: LsOptions): AsyncIterable<DirectoryEntry> {
    return ls(cid, this.below(cid), options)
  }

  async open (cid: CID, options?: OpenOptions): Promise<FileHandle> {
    return open(cid, this.below(cid), options)
  }

  async stat (cid: CID, options?: StatOptions): Promise<Stats>
  async stat (cid: CID, options?: ExtendedStatOptions): Promise<ExtendedStats>
  async stat (cid: CID, options?: ExtendedStatOptions | StatOptions): Promise<Stats> {
    return stat(cid, this.below(cid), options)
  }

  /** The settings, with a blockstore that fetches the missing blocks below `root`. */
  protected below (root: CID): S {
    const blockstore = new FetchingBlockstore({
      blockstore: this.settings.blockstore,
      fetcher: this.#fetcher,
      storing: this.#storing,
      scope: new FetchScope(root, this.#routing),
      sources: this.#sources
    })

    return { ...this.settings, blockstore }
  }
}

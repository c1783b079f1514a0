import { addContent, addFile } from './commands/add.ts'
import { cat } from './commands/cat.ts'
import { stat } from './commands/stat.ts'
import type { AddFileOptions, CatOptions, FileCandidate, Ipfsz, IpfszComponents, Stats, StatOptions } from './index.ts'
import type { Codec } from '@ipfsz/codecs'
import type { ByteStream } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

/** What every command works with. */
export interface Settings extends IpfszComponents {
  /** What files are read with. */
  codecs: readonly Codec[]
  /** What files are written with. */
  writers: readonly Codec[]
  inFlightBytes: number
}

/** Forwards each verb to its command. */
export class DefaultIpfsz implements Ipfsz {
  readonly codecs: readonly Codec[]
  readonly #settings: Settings

  constructor (settings: Settings) {
    this.codecs = settings.codecs
    this.#settings = settings
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

  cat (cid: CID, options?: CatOptions): AsyncIterable<Uint8Array> {
    return cat(cid, this.#settings, options)
  }

  async stat (cid: CID, options?: StatOptions): Promise<Stats> {
    return stat(cid, this.#settings, options)
  }
}

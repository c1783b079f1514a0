import * as raw from 'multiformats/codecs/raw'
import { MAX_RAW_ORIGINAL } from '../constants.ts'
import { ContentCid } from '../content-cid/content-cid.ts'
import { layoutsOf, RAW_ORIGINAL, UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { CorruptBlockError } from '../errors.ts'
import { checkBlock } from '../dag/hashes.ts'
import { isSame } from './link-entries.ts'
import type { Layout } from '../content-cid/content-layouts.ts'
import type { LeafHasherOptions } from '../content-cid/leaf-hasher.ts'
import type { CID } from 'multiformats/cid'

/** What came of comparing bytes with an original. */
export type Comparison =
  /** They are its bytes. */
  | { layout: string }
  /** They are not, or it was made with settings that are not known here. */
  | {
    layout?: undefined
    /** The CIDs that the bytes have with the settings that were tried. */
    found: CID[]
    /** Whether no settings could have made that CID of these bytes. */
    certain: boolean
  }

/**
 * Compares bytes with the CID that they are to have uncompressed, while they pass.
 * A raw CID is the hash of the bytes. That of a dag-pb root depends on how the file
 * was cut: then every layout is tried that the CID may be of, in one pass.
 */
export class OriginalCheck {
  readonly #original: CID
  readonly #layouts: readonly Layout[]
  readonly #content: ContentCid
  /** The bytes of a raw original, as long as they may be a block. */
  #block: Uint8Array | undefined
  #length = 0

  /** @param layout - the only one to try, where it is known which it is */
  constructor (original: CID, options: LeafHasherOptions, layout?: string) {
    const isRaw = original.code === raw.code
    const layouts = layoutsOf(original)
    const known = layouts.filter(({ name }) => name === layout)

    this.#original = original
    this.#layouts = known.length > 0 ? known : layouts
    // to say which CID the bytes have, where none can be compared
    this.#content = new ContentCid(options, this.#layouts.length > 0 ? this.#layouts : [UNIXFS_V1_2025])
    this.#block = isRaw ? new Uint8Array(0) : undefined
  }

  /** Whether more bytes have come than the original can have. */
  get tooLong (): boolean {
    return this.#original.code === raw.code && this.#length > MAX_RAW_ORIGINAL
  }

  /** The next bytes. When this is done they may be written over. */
  async update (bytes: Uint8Array): Promise<void> {
    await this.#content.update(bytes)

    if (this.#block != null) {
      this.#keep(bytes)
    }

    this.#length += bytes.byteLength
  }

  async compare (): Promise<Comparison> {
    const found = await this.#content.digests()

    if (this.#original.code === raw.code) {
      return this.#compareRaw(found)
    }

    const index = this.#layouts.findIndex((_, i) => isSame(found[i], this.#original))

    return index === -1 ? { found, certain: false } : { layout: this.#layouts[index].name }
  }

  async #compareRaw (found: CID[]): Promise<Comparison> {
    if (this.tooLong || this.#block == null) {
      return { found, certain: false }
    }

    try {
      await checkBlock(this.#original, this.#block.subarray(0, this.#length))

      return { layout: RAW_ORIGINAL }
    } catch (err) {
      // a hash that is unknown or too short says nothing of the bytes
      return { found, certain: err instanceof CorruptBlockError }
    }
  }

  #keep (bytes: Uint8Array): void {
    const block = this.#block as Uint8Array
    const length = this.#length + bytes.byteLength

    if (length > MAX_RAW_ORIGINAL) {
      this.#block = undefined
      return
    }

    if (length > block.byteLength) {
      const larger = new Uint8Array(Math.min(MAX_RAW_ORIGINAL, Math.max(length, 2 * block.byteLength)))
      larger.set(block.subarray(0, this.#length))
      this.#block = larger
    }

    this.#block?.set(bytes, this.#length)
  }
}

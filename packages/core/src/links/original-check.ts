import { equals } from 'multiformats/bytes'
import * as raw from 'multiformats/codecs/raw'
import { MAX_RAW_ORIGINAL } from '../constants.ts'
import { ContentCid } from '../content-cid/content-cid.ts'
import { layoutsOf, RAW_ORIGINAL, UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { CorruptBlockError } from '../errors.ts'
import { checkBlock } from '../dag/hashes.ts'
import { inlineFile, isSame } from './link-entries.ts'
import type { Layout } from '../content-cid/content-layouts.ts'
import type { LeafHasherOptions } from '../content-cid/leaf-hasher.ts'
import type { InlineFile } from './link-entries.ts'
import type { CID } from 'multiformats/cid'

/** The result of comparing bytes with an original CID. */
export type Comparison =
  /** They match. */
  | { layout: string }
  /** They differ, or unknown importer settings made the original. */
  | {
    layout?: undefined
    /** The CIDs that the bytes have, one per layout that was tried. */
    found: CID[]
    /** Whether no importer settings could yield the original CID for these bytes. */
    certain: boolean
  }

/**
 * Compares a stream of bytes with an original CID. A raw CID is the hash of the bytes. The
 * CID of a dag-pb root depends on how the file was split into leaves, so all layouts that it
 * may have are tried, in one pass.
 */
export class OriginalCheck {
  readonly #original: CID
  readonly #layouts: readonly Layout[]
  readonly #content: ContentCid
  /** The bytes for an original whose bytes are one block, while they may still be that. */
  #block: Uint8Array | undefined
  #length = 0
  /** The file that the original contains itself. */
  readonly #inline: InlineFile | undefined

  /** @param layout - the layout of the original, if known */
  constructor (original: CID, options: LeafHasherOptions, layout?: string) {
    const layouts = layoutsOf(original)
    const known = layouts.filter(({ name }) => name === layout)

    this.#original = original
    this.#layouts = known.length > 0 ? known : layouts
    // without a layout to try, one is hashed only to report the CID that the bytes have
    this.#content = new ContentCid(options, this.#layouts.length > 0 ? this.#layouts : [UNIXFS_V1_2025])
    this.#inline = inlineFile(original)
    this.#block = original.code === raw.code || this.#inline?.bytes != null ? new Uint8Array(0) : undefined
  }

  /** Whether there are more bytes than the original can have. */
  get tooLong (): boolean {
    return this.#length > (this.#original.code === raw.code ? MAX_RAW_ORIGINAL : this.#inline?.size ?? Infinity)
  }

  /** Add bytes. The caller may overwrite them after this resolves. */
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

    if (this.#inline != null) {
      return { found, certain: !this.#canBe(this.#inline) }
    }

    const index = this.#layouts.findIndex((_, i) => isSame(found[i], this.#original))

    return index === -1 ? { found, certain: false } : { layout: this.#layouts[index].name }
  }

  async #compareRaw (found: CID[]): Promise<Comparison> {
    if (this.tooLong || this.#block == null) {
      return { found: [], certain: true }
    }

    try {
      await checkBlock(this.#original, this.#block.subarray(0, this.#length))

      return { layout: RAW_ORIGINAL }
    } catch (err) {
      // an unsupported hash or a short digest proves nothing about the bytes
      return { found, certain: err instanceof CorruptBlockError }
    }
  }

  #canBe ({ size, bytes }: InlineFile): boolean {
    const read = this.#block?.subarray(0, this.#length)

    return size === this.#length && (bytes == null || (read != null && equals(bytes, read)))
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

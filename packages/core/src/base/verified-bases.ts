import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { MAX_REMEMBERED_BASES } from '../constants.ts'
import { baseOf } from '../dag/base-link.ts'
import { cidKey } from '../dag/cid-key.ts'
import { UnreadableBaseError } from '../errors.ts'
import { hasBase } from '../format/header.ts'
import { openRoot } from '../read/entry.ts'
import { verifyFile } from '../read/verify-file.ts'
import { fileBase } from './file-base.ts'
import type { RegionSource } from '../frames/compressed-file.ts'
import type { Entry } from '../read/entry.ts'
import type { VerifyFileOptions } from '../read/verify-file.ts'
import type { BaseSettings } from './base-content.ts'
import type { SeenBlocks } from '../dag/seen-blocks.ts'
import type { CID } from 'multiformats/cid'

/** Verifies the bases of files, each of them once: the small files of a tree may have one together. */
export class VerifiedBases {
  readonly #settings: BaseSettings
  readonly #verified: SeenBlocks

  /** @param verified - those that need not be verified any more */
  constructor (settings: BaseSettings, verified: SeenBlocks = new LastBases()) {
    this.#settings = settings
    this.#verified = verified
  }

  /**
   * What reads the base of a file, after verifying the base. Undefined if the file has none.
   *
   * @throws {UnreadableBaseError}
   */
  async baseOf (
    { node, header }: Entry,
    { onBytes: _onBytes, ...options }: Omit<VerifyFileOptions, 'inFlightBytes'>
  ): Promise<RegionSource | undefined> {
    const { blockstore, codecs, inFlightBytes } = this.#settings

    if (node == null || header == null || !hasBase(header)) {
      return undefined
    }

    const cid = baseOf(node)

    if (!this.#verified.has(cid)) {
      try {
        const entry = await openRoot(cid, 'in-tree', { blockstore }, options)
        await verifyFile(entry, blockstore, codecs, { ...options, inFlightBytes })
      } catch (err) {
        options.signal?.throwIfAborted()
        throw new UnreadableBaseError(node.cid, cid, err)
      }

      this.#verified.add(cid)
    }

    return fileBase(node, header, this.#settings, options)
  }
}

/** Each file of a large tree may have a base of its own: a base that was forgotten is verified again. */
class LastBases implements SeenBlocks {
  readonly #keys = new Set<string>()

  has (cid: CID): boolean {
    return this.#keys.has(cidKey(cid))
  }

  add (cid: CID): void {
    this.#keys.add(cidKey(cid))
    forgetOldest(this.#keys, MAX_REMEMBERED_BASES)
  }
}

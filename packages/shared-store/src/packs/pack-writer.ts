// Above 250 lines: what waits, what is being stored, and who relies on it change together.
import {
  blockIn, contentOf, encodeWholePack, encodeWith, keyOf, keyText, placesIn, readPackTable, tableSizeOf
} from '@ipfsz/blockstore-packed/whole'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { sleep } from '../clock.ts'
import { putOnce } from '../objects/put-once.ts'
import { FollowedSession, LOOK } from './followed-session.ts'
import { encodeLinks, partOfLinks } from './pack-links.ts'
import { newPackId, NO_SESSION, packKey, tailOfPack } from './pack-keys.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { PackCatalog } from './pack-catalog.ts'
import type { Compress, EncodedBlocks, Key, PartPlaces, PlainBlock } from '@ipfsz/blockstore-packed/whole'
import type { MultihashDigest } from 'multiformats'
import type { CID } from 'multiformats/cid'

/** Bytes and blocks that are compressed at a time: less if packs are smaller. */
const GROUP_SIZE = 4 * 1024 * 1024
const GROUP_BLOCKS = 8192
/** Blocks of a pack at most: what reads its table has it in memory. */
const MAX_BLOCKS = 65_536 - GROUP_BLOCKS
/** How often a pack is sent, each time with another name: for some minutes, as long as an add may wait. */
const ATTEMPTS = 11

/** Who relies on the packs that it writes. */
export interface PackUser {
  readonly id: string
  relyOnPack: (tail: Uint8Array) => boolean
}

export interface PackWriterInit {
  objects: Pick<ObjectStore, 'list' | 'put'>
  catalog: PackCatalog
  /** The compression level of zstd. */
  level: number
  /**
   * Bytes of a pack from which it is stored. Twice as many are in memory at most, and 4 MiB; three times, if another
   * session may be adding the same.
   */
  packSize: number
  compress: Compress
  clock: Clock
  /**
   * Whether to store blocks that are in other packs by now: a collection has found that these cannot be read.
   *
   * @default false
   */
  isCopying?: boolean
}

/** Blocks that are compressed together. */
interface Part extends PartPlaces {
  encoded: EncodedBlocks
}

/**
 * Collects blocks into packs, and stores these whole. A block that was put is found here until its pack is stored; then
 * it is in the catalog.
 */
export class PackWriter {
  readonly #init: PackWriterInit
  readonly #maxGroupSize: number
  /** Blocks that are not compressed yet, by their keys. */
  readonly #plain = new Map<string, Uint8Array>()
  #group: Array<PlainBlock & { key: Key }> = []
  #groupSize = 0
  /** What is compressed, and waits to be stored. */
  #parts: readonly Part[] = []
  /** Those who have put or found blocks that wait: also some who rely only on what is stored, which does no harm. */
  readonly #users = new Set<PackUser>()
  /** The same of the pack that is being stored. */
  #storingParts: readonly Part[] = []
  #storingUsers: ReadonlySet<PackUser> = new Set()
  #encoding: Promise<void> = Promise.resolve()
  #storing: Promise<void> = Promise.resolve()
  readonly #followed = new FollowedSession()

  constructor (init: PackWriterInit) {
    this.#init = init
    this.#maxGroupSize = Math.min(GROUP_SIZE, init.packSize)
  }

  /** Whether a block will be stored. */
  has (key: Key): boolean {
    return this.#plain.has(keyText(key)) || isIn(this.#parts, key) || isIn(this.#storingParts, key)
  }

  /** The same for who relies on it, if it will: that is too late while its pack is being stored, so this waits. */
  async relies (key: Key, user: PackUser): Promise<boolean> {
    while (isIn(this.#storingParts, key) && !this.#storingUsers.has(user)) {
      await this.#storing.catch(() => { /* it is stored later */ })
    }

    const isPending = this.has(key)

    if (isPending && !isIn(this.#storingParts, key)) {
      this.#users.add(user)
    }

    return isPending
  }

  /** A block that will be stored. */
  async get (multihash: MultihashDigest): Promise<Uint8Array | undefined> {
    const key = keyOf(multihash)
    const plain = this.#plain.get(keyText(key))

    if (plain != null) {
      return Uint8Array.from(plain)
    }

    for (const { encoded: { data }, placeOf } of [...this.#parts, ...this.#storingParts]) {
      const row = placeOf(key)

      if (row != null) {
        return blockIn(row, await contentOf(row, data.subarray(row.frame, row.frame + row.stored)), multihash.bytes)
      }
    }

    return undefined
  }

  /** Resolves when the next block may be put: when less than two packs are in memory. */
  async put (cid: CID, bytes: Uint8Array, user?: PackUser): Promise<void> {
    const key = keyOf(cid.multihash)

    if (user == null ? this.has(key) : await this.relies(key, user)) {
      return
    }

    if (user != null) {
      this.#users.add(user)
    }

    // put twice at the same time
    if (this.#plain.has(keyText(key))) {
      return
    }

    // who puts it may use the memory again
    const block = { cid, key, bytes: Uint8Array.from(bytes) }
    this.#plain.set(keyText(key), block.bytes)
    this.#group.push(block)
    this.#groupSize += bytes.byteLength

    if (this.#groupSize >= this.#maxGroupSize || this.#group.length >= GROUP_BLOCKS) {
      await this.#encode()
      await this.#storeIfFull()
    }
  }

  /**
   * The same with blocks that `encodeBlocks` has compressed. They are copied: who puts them may use the memory again.
   * Pass only those that are not stored, nor will be, or they take space twice until a collection.
   */
  async putEncoded (encoded: EncodedBlocks, user: PackUser): Promise<void> {
    this.#users.add(user)
    this.#addPart({
      ...encoded,
      data: Uint8Array.from(encoded.data),
      table: Uint8Array.from(encoded.table),
      links: encoded.links && Uint8Array.from(encoded.links)
    })
    await this.#storeIfFull()
  }

  /** Resolves when everything that was put is stored. If it fails, the next call tries again. */
  async sync (): Promise<void> {
    await this.#encode()
    await this.#storing.catch(() => { /* what was not stored is stored now */ })

    while (this.#parts.length > 0) {
      this.#store()
      await this.#storing
    }
  }

  /** One pack is stored while the next one is filled. */
  async #storeIfFull (): Promise<void> {
    while (packOf(this.#parts, this.#init.packSize).isFull && await this.#isDue()) {
      // several calls may wait for the same pack
      await (this.#storingParts.length > 0 ? this.#storing : this.#store())
    }
  }

  /** Whether a full pack is to be stored now, or when the next one is full: another session may be storing the same. */
  async #isDue (): Promise<boolean> {
    const { isCopying, objects, packSize } = this.#init
    const [user] = this.#users
    await (isCopying === true ? undefined : this.#followed.find(objects, user?.id))

    return packOf(this.#parts, (this.#followed.isOn ? 2 : 1) * packSize).isFull
  }

  async #encode (): Promise<void> {
    const blocks = this.#group
    this.#group = []
    this.#groupSize = 0
    this.#encoding = this.#encodeAfter(this.#encoding, blocks)

    await this.#encoding
  }

  async #encodeAfter (before: Promise<void>, blocks: ReadonlyArray<PlainBlock & { key: Key }>): Promise<void> {
    await before

    if (blocks.length > 0) {
      this.#addPart({
        ...await encodeWith(this.#init.compress, this.#init.level, blocks), links: encodeLinks(blocks)
      })

      for (const { key, bytes } of blocks) {
        this.#plain.delete(keyText(key))
        // who has asked for it got a copy
        freeBytes(bytes)
      }
    }
  }

  #addPart (encoded: EncodedBlocks): void {
    this.#parts = [...this.#parts, { encoded, ...placesIn(encoded) }]
  }

  /** Begin to store a pack of what waits. */
  #store (): void {
    const { parts } = packOf(this.#parts, this.#init.packSize)

    if (parts.length > 0) {
      this.#storing = this.#storeFirst(parts)
      // whoever puts or syncs next is told
      this.#storing.catch(() => {})
    }
  }

  async #storeFirst (parts: readonly Part[]): Promise<void> {
    const users = new Set(this.#users)
    this.#parts = this.#parts.slice(parts.length)
    this.#storingParts = parts
    this.#storingUsers = users

    // what still waits may be of any of them
    if (this.#parts.length === 0 && this.#plain.size === 0) {
      this.#users.clear()
    }

    try {
      await this.#storeParts(parts, users)
    } catch (err) {
      users.forEach(user => this.#users.add(user))
      this.#parts = [...parts, ...this.#parts]
      throw err
    } finally {
      this.#storingParts = []
    }
  }

  async #storeParts (all: readonly Part[], users: Set<PackUser>): Promise<void> {
    const { objects, catalog, clock } = this.#init
    const parts = this.#init.isCopying === true ? all : await this.#newParts(all, users)

    if (parts.length === 0) {
      return
    }

    const encoded = parts.map(({ encoded }) => encoded)
    const whole = [...partOfLinks(encoded), ...encoded]
    const { id, key, session, bytes } = await putOnce(objects, () => {
      const id = newPackId()
      // before it is there: a collection may list it at once
      this.#rely(users, id)
      const [session = NO_SESSION] = Array.from(users, ({ id }) => id)

      return { id, key: packKey(id, session), session, bytes: encodeWholePack(id, whole) }
    }, { clock, attempts: ATTEMPTS })

    catalog.add({ id, key, session }, readPackTable(bytes.subarray(0, tableSizeOf(bytes, id)), id))
    await catalog.save()
  }

  /** Without the parts that another node has stored meanwhile, or is storing: it may add the same. */
  async #newParts (all: readonly Part[], users: Set<PackUser>): Promise<readonly Part[]> {
    const followed = this.#followed
    const [user] = users
    await followed.find(this.#init.objects, user?.id)
    let parts = await this.#withoutStored(all, users)

    for (let waited = 0; followed.isOn && parts.length > 0 && waited < followed.patience;) {
      await sleep(this.#init.clock, LOOK)
      const left = await this.#withoutStored(parts, users)
      waited = left.length < parts.length ? 0 : waited + LOOK
      parts = left
    }

    followed.note(parts.length < all.length)

    return parts
  }

  /** Without the parts that are in packs by now. */
  async #withoutStored (parts: readonly Part[], users: Set<PackUser>): Promise<Part[]> {
    const { catalog } = this.#init
    const kept: Part[] = []
    await catalog.refresh()

    for (const part of parts) {
      for (const key of part.keys) {
        const rows = await catalog.find(key)

        if (!rows.some(({ pack }) => this.#rely(users, pack))) {
          kept.push(part)
          break
        }
      }
    }

    return kept
  }

  /** All rely on a pack. Those whose sessions are over do not count: they confirm nothing. @returns whether they may */
  #rely (users: Set<PackUser>, id: string): boolean {
    let may = true

    for (const user of users) {
      try {
        may = user.relyOnPack(tailOfPack(id)) && may
      } catch {
        users.delete(user)
        this.#users.delete(user)
      }
    }

    return may
  }
}

function isIn (parts: readonly Part[], key: Key): boolean {
  return parts.some(({ placeOf }) => placeOf(key) != null)
}

/** The first parts, which become a pack. */
function packOf (all: readonly Part[], packSize: number): { parts: Part[], isFull: boolean } {
  const parts: Part[] = []
  let size = 0
  let blocks = 0

  for (const part of all) {
    if (size >= packSize || blocks >= MAX_BLOCKS) {
      break
    }

    parts.push(part)
    size += part.encoded.data.byteLength + (part.encoded.links?.byteLength ?? 0)
    blocks += part.keys.length
  }

  return { parts, isFull: size >= packSize || blocks >= MAX_BLOCKS }
}

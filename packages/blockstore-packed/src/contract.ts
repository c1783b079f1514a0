import type { Compress } from './encode/encode-blocks.ts'
import type { Disk } from './disk/disk.ts'
import type { MultihashDigest } from 'multiformats'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent, ProgressOptions } from 'progress-events'

/** Options of a call that can be aborted. */
export interface PackedOptions {
  signal?: AbortSignal | null | undefined
}

/** What a `put` that has resolved promises: see `durability`. */
export type Durability = 'put' | 'sync'

export interface PackedBlockstoreInit {
  /**
   * When blocks survive a loss of power.
   *
   * - `put`: when `put` resolves, or `putMany` yields. Puts that run at the same time share a sync
   * - `sync`: when `sync` or `close` resolves. Until then, up to 4 MiB of blocks are in memory, where other processes
   *   do not see them
   *
   * @default 'put'
   */
  durability?: Durability | undefined

  /**
   * The compression level of zstd, 1 to 19, for blocks that are not compressed yet.
   *
   * @default 3
   */
  level?: number | undefined

  /**
   * From how many bytes a pack is sealed, and a new one begun: 1 KiB to 1 GiB.
   *
   * @default 67108864
   */
  packSize?: number | undefined

  /**
   * Whether `get` compares each block with its hash, if it is one that Node has. `false` is for readers that do it
   * themselves: then only a block that is in several places is hashed, to find a good one.
   *
   * @default true
   */
  verify?: boolean | undefined

  /**
   * The share of all bytes that `repack` may leave unused, 0 to 1.
   *
   * @default 0.05
   */
  maxUnused?: number | undefined
}

/** What a store is made of. By default the file system, Node's thread pool, and random IDs. */
export interface PackedBlockstoreComponents {
  disk?: Disk | undefined
  compress?: Compress | undefined
  /** Makes an ID of 32 hexadecimal digits, never the same twice. */
  newId?: (() => string) | undefined
}

export interface GetAllOptions extends PackedOptions {
  /**
   * - `index`: sorted by hash, from the index alone. CIDs are of version 1 and codec raw, as those of FsBlockstore
   * - `packs`: as they are in the packs, with the CIDs that they were put with. Reading all blocks in this order is
   *   many times as fast
   *
   * @default 'index'
   */
  order?: 'index' | 'packs' | undefined
}

/** A block that is listed. */
export interface BlockSize {
  multihash: MultihashDigest
  /** Bytes of the block. */
  size: number
}

export interface HasManyOptions extends PackedOptions {
  /**
   * Whether to leave out blocks that another process has not synced yet: those have to be stored again, by `putEncoded`
   * for example. The others survive a loss of power once `sync` of this store has resolved.
   *
   * @default false
   */
  durable?: boolean | undefined
}

export interface BlockLocation {
  cid: CID
  /** The ID of the pack: the file is `packs/ID.car.zst`. */
  pack: string
  /** Offset of the block's frame in the pack, in bytes. */
  offset: number
  /** Bytes of the block. */
  size: number
}

/** A block, or a part of a pack, that is not what it should be. */
export interface Damage {
  /** The block, if it is known which. */
  cid?: CID | undefined
  pack: string
  /** Offset in the pack, in bytes. */
  offset: number
  /** Why it cannot be read; undefined if its hash is wrong. */
  error?: unknown
}

/** One pack was looked at. `packs` of `total` are done. */
export type PackProgress<T extends string> = ProgressEvent<T, { packs: number, total: number, blocks: number }>

export interface VerifyOptions extends PackedOptions, ProgressOptions<PackProgress<'ipfsz:verify:pack'>> {}

export interface RepackOptions extends PackedOptions, ProgressOptions<PackProgress<'ipfsz:repack:pack'>> {
  /**
   * How much may stay unused: the share of all bytes, 0 to 1, or bytes.
   *
   * @default that of the store, 0.05
   */
  maxUnused?: number | { bytes: number } | undefined
}

/** Packs that `removeUnused` removed. */
export interface RemovedPacks {
  packs: number
  /** Blocks that were in them. */
  blocks: number
  /** Bytes on the disk. */
  bytes: number
}

export interface RepackResult {
  /** Packs that were removed. */
  packs: number
  /** Blocks that were copied. */
  blocks: number
  /** Bytes on the disk before and after. */
  before: number
  after: number
  /** Bytes of these that are still unused, about. */
  unused: number
  /** Blocks that could not be copied. Their packs stay. */
  damaged: CID[]
}

import { crc32 } from 'node:zlib'
import { keyOf, keyText } from '@ipfsz/blockstore-packed/whole'
import { decodeBlock } from '@ipfsz/core/nodes'
import { LruMap } from '@ipfsz/utils/lru-map'
import { SingleFlight } from '@ipfsz/utils/single-flight'
import { CID } from 'multiformats/cid'
import type { PackCatalog } from './pack-catalog.ts'
import type { PackBytes } from './pack-reader.ts'
import type { EncodedBlocks, Key, PlainBlock } from '@ipfsz/blockstore-packed/whole'

/** A skippable frame of zstd: other tools pass over it. */
const MAGIC = 0x184d2a52
const HEADER = 12
const DAG_PB = 0x70
/** Bytes before the links of a block: its key, the kind of the key, the length of the links. */
const ROW = 32 + 1 + 4
/** In the place of the length of links: they are unknown. */
const UNKNOWN = 0xffffffff
/** Bytes to read first: mostly all. */
const FIRST_READ = 256 * 1024
/** Links of a pack at most: they count as bytes of it. Those that are kept in memory, together. */
const MAX_SIZE = 64 * 1024 * 1024
/** Packs of which all is read at once. */
const MAX_PREPARED = 32
/** What a row takes in memory. */
const ROW_MEMORY = 128

interface Links {
  bytes: Buffer
  /** Where the rows are, by the texts of their keys. */
  rows: ReadonlyMap<string, number>
}

/**
 * What blocks link to, for `putEncoded`. One that is not listed links to nothing, whatever its codec: a raw block may
 * be linked as dag-pb too.
 */
export function encodeLinks (blocks: Iterable<PlainBlock>): Uint8Array {
  const parts: Uint8Array[] = []

  for (const { cid, bytes } of blocks) {
    const links = linksIn(bytes)

    if (links == null ? cid.code === DAG_PB : links.byteLength > 0) {
      const row = Buffer.alloc(ROW)
      const { bytes: key, kind } = keyOf(cid.multihash)
      row.set(key)
      row.writeUInt8(kind, ROW - 5)
      row.writeUInt32LE(links?.byteLength ?? UNKNOWN, ROW - 4)
      parts.push(row, links ?? new Uint8Array())
    }
  }

  return Buffer.concat(parts)
}

/** The CIDs that a block links to, one after the other. Undefined if it is not dag-pb. */
function linksIn (bytes: Uint8Array): Uint8Array | undefined {
  try {
    return Buffer.concat(Array.from(decodeBlock(bytes).links, ({ Hash }) => Hash.bytes))
  } catch {
    return undefined
  }
}

/**
 * The first part of a pack: what its blocks link to.
 *
 * @returns none if that is unknown of some of them
 */
export function partOfLinks (parts: readonly EncodedBlocks[]): EncodedBlocks[] {
  const links = parts.flatMap(part => part.links ?? [])

  if (links.length < parts.length) {
    return []
  }

  const data = Buffer.concat([Buffer.alloc(HEADER), ...links])
  data.writeUInt32LE(MAGIC, 0)
  data.writeUInt32LE(data.byteLength - 8, 4)
  data.writeUInt32LE(crc32(data.subarray(HEADER)), 8)
  // a frame that decompresses to nothing
  const table = Buffer.alloc(8)
  table.writeUInt32LE(data.byteLength)

  return [{ frames: 1, blocks: 0, table, data, crc: crc32(data) }]
}

/** Knows what blocks of packs link to without reading them, so that a walk takes a request or two for each pack. */
export class PackLinks {
  readonly #catalog: PackCatalog
  readonly #read: PackBytes['read']
  /** Packs without links: older ones, and damaged ones. */
  readonly #without = new Set<string>()
  readonly #loading = new SingleFlight<Links | undefined>()
  readonly #loaded = new LruMap<string, Links>({
    maxSize: MAX_SIZE, keepsLast: true, sizeOf: ({ bytes, rows }) => bytes.byteLength + rows.size * ROW_MEMORY
  })

  /** How many packs walks have needed. */
  #needed = 0

  constructor (catalog: PackCatalog, read: PackBytes['read']) {
    this.#catalog = catalog
    this.#read = read
  }

  /**
   * What a block links to. Undefined: it must be read, as its pack does not say so, is damaged or gone.
   *
   * @param isOfMany - whether it is asked for a walk: if that needs a second pack, and there are few, all are read at
   *   the same time
   */
  async of ({ multihash }: Pick<CID, 'multihash'>, isOfMany = false): Promise<CID[] | undefined> {
    const key = keyOf(multihash)

    for (const { pack } of await this.#catalog.find(key)) {
      const links = await this.#linksOf(pack, isOfMany)
      const cids = links == null ? undefined : cidsOf(links, key)

      if (cids != null) {
        return cids
      }
    }

    return undefined
  }

  #prepare (): void {
    const packs = [...this.#catalog.packs.keys()].filter(id => this.#catalog.knows(id))

    if (packs.length <= MAX_PREPARED) {
      // who needs them is told
      packs.forEach(pack => { this.#linksOf(pack).catch(() => {}) })
    }
  }

  async #linksOf (pack: string, isOfMany = false): Promise<Links | undefined> {
    const loaded = this.#loaded.get(pack)

    if (loaded != null || this.#without.has(pack)) {
      return loaded
    }

    if (isOfMany && !this.#loading.has(pack) && ++this.#needed === 2) {
      this.#prepare()
    }

    return this.#loading.run(pack, async () => this.#load(pack))
  }

  async #load (pack: string): Promise<Links | undefined> {
    const links = await this.#readLinks(pack).catch((err: unknown) => {
      if (!(err instanceof Error && err.name === 'NotFoundError')) {
        throw err
      }
    })

    if (links == null) {
      this.#without.add(pack)
    } else {
      this.#loaded.set(pack, links)
    }

    return links ?? undefined
  }

  async #readLinks (pack: string): Promise<Links | undefined> {
    const offset = this.#catalog.framesOf(pack)
    const read = async (from: number, length: number): Promise<Uint8Array> =>
      this.#read(pack, this.#catalog.keyOf(pack), { offset: offset + from, length })
    const first = Buffer.from(await read(0, FIRST_READ))
    const size = first.byteLength < HEADER || first.readUInt32LE(0) !== MAGIC ? 0 : first.readUInt32LE(4) + 8

    if (size < HEADER || size > MAX_SIZE) {
      return undefined
    }

    const rest = size <= first.byteLength ? [] : [await read(first.byteLength, size - first.byteLength)]

    return readLinks(Buffer.concat([first, ...rest]).subarray(0, size))
  }
}

/** @returns undefined if they are damaged */
function readLinks (bytes: Buffer): Links | undefined {
  const rows = new Map<string, number>()

  // also if the pack ends early
  if (bytes.readUInt32LE(8) !== crc32(bytes.subarray(HEADER))) {
    return undefined
  }

  for (let at = HEADER; at + ROW <= bytes.byteLength;) {
    const length = bytes.readUInt32LE(at + ROW - 4)
    rows.set(keyText({ bytes: bytes.subarray(at, at + ROW - 5), kind: bytes.readUInt8(at + ROW - 5) }), at)
    at += ROW + (length === UNKNOWN ? 0 : length)
  }

  return { bytes, rows }
}

/** What a block links to. Undefined if that is unknown. */
function cidsOf ({ bytes, rows }: Links, key: Key): CID[] | undefined {
  const at = rows.get(keyText(key))
  const length = at == null ? 0 : bytes.readUInt32LE(at + ROW - 4)
  const cids: CID[] = []

  if (at == null || length === UNKNOWN) {
    return at == null ? cids : undefined
  }

  for (let rest: Uint8Array = bytes.subarray(at + ROW, at + ROW + length); rest.byteLength > 0;) {
    const [cid, behind] = CID.decodeFirst(rest)
    cids.push(cid)
    rest = behind
  }

  return cids
}

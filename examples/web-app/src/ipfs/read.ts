import { ipfsz } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import type { Store } from './store.ts'
import type { ExtendedStats, Stats } from '@ipfsz/core'

/** A source of blocks: the local store, or a node that asks its peers. */
export type Source = Pick<Store['blockstore'], 'get' | 'put' | 'has'>

/** A block that a read needed. */
export interface FetchedBlock {
  cid: CID
  /** Whether it was stored here already. */
  local: boolean
}

export interface ReadOptions {
  offset?: number
  length?: number
  /** The most bytes to return, if more are read. */
  keep?: number
  signal?: AbortSignal
}

export interface ReadResult {
  bytes: Uint8Array<ArrayBuffer>
  /** In the order of the requests. */
  blocks: FetchedBlock[]
}

/** A CID, and a path below it. */
export interface Address {
  cid: CID
  path: string
}

/** Thrown when a text is not an address. */
export class InvalidAddressError extends Error {
  static override readonly name = 'InvalidAddressError'
  override readonly name = 'InvalidAddressError'
  readonly text: string

  constructor (text: string, options?: ErrorOptions) {
    super(`“${text.slice(0, 80)}” does not begin with a CID`, options)
    this.text = text
  }
}

/**
 * Read `CID`, `CID/path`, `/ipfs/CID/path` or `ipfs://CID/path`, which is a URL: its path is decoded.
 *
 * @throws {InvalidAddressError}
 */
export function parseAddress (text: string): Address {
  const [, scheme, first, path] = /^(ipfs:\/\/|\/ipfs\/)?([^/]*)\/?(.*)$/s.exec(text.trim()) ?? ['', '', '', '']

  try {
    return { cid: CID.parse(first), path: scheme === 'ipfs://' ? decodePath(path) : path }
  } catch (err) {
    throw new InvalidAddressError(text, { cause: err })
  }
}

function decodePath (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // a literal percent sign
    return path
  }
}

/** What a CID names, from its root block alone. */
export async function stat (source: Source, { cid, path }: Address, signal?: AbortSignal): Promise<Stats> {
  return ipfsz({ blockstore: source }).stat(cid, { path, signal })
}

/** What is stored of it: reads all blocks but leaves. */
export async function measure (source: Source, { cid, path }: Address): Promise<ExtendedStats> {
  return ipfsz({ blockstore: source }).stat(cid, { path, extended: true })
}

/** Read a range, and list the blocks it took: only those that hold it. */
export async function readRange (
  source: Source,
  cid: CID,
  { keep = Infinity, ...options }: ReadOptions = {}
): Promise<ReadResult> {
  const blocks: FetchedBlock[] = []
  const chunks: Array<Uint8Array<ArrayBuffer>> = []
  let kept = 0

  for await (const chunk of ipfsz({ blockstore: recording(source, blocks) }).cat(cid, options)) {
    const some = chunk.subarray(0, keep - kept)

    if (some.byteLength > 0) {
      // a copy: a view would keep the whole frame in memory
      chunks.push(some.slice())
      kept += some.byteLength
    }
  }

  return { bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()), blocks }
}

/** What a player may have read ahead, in bytes. */
const PLAYED_AHEAD = 2 * 1024 * 1024

/** A range, piece by piece: little more is read than what is taken. */
export function streamRange (
  source: Source,
  cid: CID,
  range: { offset: number, length: number, signal: AbortSignal }
): AsyncIterable<Uint8Array> {
  const fs = ipfsz({ blockstore: source }, { inFlightBytes: PLAYED_AHEAD, fetch: { maxBytes: PLAYED_AHEAD } })

  return fs.cat(cid, { ...range, blockReadConcurrency: 2 })
}

/** A whole file as a Blob, which the browser keeps on disk if it is large. */
export async function readBlob (source: Source, cid: CID, signal?: AbortSignal): Promise<Blob> {
  const parts: Blob[] = []

  for await (const chunk of ipfsz({ blockstore: source }).cat(cid, { signal })) {
    parts.push(new Blob([chunk as Uint8Array<ArrayBuffer>]))
  }

  return new Blob(parts)
}

function recording (source: Source, blocks: FetchedBlock[]): Source {
  return {
    put: (cid, bytes, options) => source.put(cid, bytes, options),
    has: (cid, options) => source.has(cid, options),

    async * get (cid, options) {
      blocks.push({ cid, local: await source.has(cid, options) })
      yield * source.get(cid, options)
    }
  }
}

import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { unixfs } from '@helia/unixfs'
import { CarReader } from '@ipld/car'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { ipfsz } from '@ipfsz/core'
import { allParts } from '../src/create-gateway.ts'
import { MemoryBudget } from '../src/memory/memory-budget.ts'
import { chooseFormat } from '../src/request/format.ts'
import { noise } from '../../../test/support/data.ts'
import type { NameResolver } from '../src/contract.ts'
import type { ResponseContext } from '../src/respond/context.ts'
import type { Target } from '../src/request/target.ts'
import type { Resolved } from '../src/resolve/resolved.ts'
import type { UnixFS } from '@helia/unixfs'
import type { ByteView } from 'multiformats/codecs/interface'

export const SIGNAL = new AbortController().signal

/** A blockstore that records which blocks are read. */
export class RecordingBlockstore extends MemoryBlockstore {
  readonly gets: string[] = []

  override get (...args: Parameters<MemoryBlockstore['get']>): ReturnType<MemoryBlockstore['get']> {
    this.gets.push(args[0].toString())

    return super.get(...args)
  }
}

/** Files of small blocks: chunks of 10 bytes, three links in a node. */
export const SMALL_NODES = {
  chunker: fixedSize({ chunkSize: 10 }),
  layout: balanced({ maxChildrenPerNode: 3 }),
  rawLeaves: true
}

export interface Store {
  blockstore: RecordingBlockstore
  fs: UnixFS
  put (codec: Encoder, value: unknown): Promise<CID>
}

export function store (): Store {
  const blockstore = new RecordingBlockstore()

  return {
    blockstore,
    fs: unixfs({ blockstore }),
    async put ({ code, encode }, value) {
      const block = encode(value)
      const cid = CID.createV1(code, await sha256.digest(block))
      await blockstore.put(cid, block)

      return cid
    }
  }
}

interface Encoder {
  code: number
  encode (value: unknown): ByteView<unknown>
}

export const CBOR: Encoder = dagCbor
export const JSON_CODEC: Encoder = dagJson
export const PB: Encoder = { code: dagPb.code, encode: value => dagPb.encode(value as dagPb.PBNode) }

/** A directory with a file of many blocks twice, a file of one block and a directory, plain or sharded. */
export async function tree ({ fs }: Store, sharded = false): Promise<CID> {
  const options = sharded ? { shardSplitThresholdBytes: 1 } : {}
  const file = await fs.addBytes(noise(123), SMALL_NODES)
  const small = await fs.addBytes(noise(5, 2))
  let inner = await fs.addDirectory()

  for (let i = 0; i < 64; i++) {
    inner = await fs.cp(await fs.addBytes(noise(3, i)), inner, `${i}.txt`, options)
  }

  let root = await fs.addDirectory()

  for (const [name, cid] of Object.entries({ 'a.bin': file, 'b.bin': small, 'copy.bin': file, inner })) {
    root = await fs.cp(cid, root, name)
  }

  return root
}

export async function collect (source: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Blob(await Array.fromAsync(source, part => new Uint8Array(part))).arrayBuffer())
}

/** The root and the CIDs of a CAR. */
export async function readCar (bytes: Uint8Array): Promise<{ root: string, cids: string[] }> {
  const reader = await CarReader.fromBytes(bytes)
  const [root] = await reader.getRoots()
  const cids: string[] = []

  for await (const { cid, bytes } of reader.blocks()) {
    const digest = await sha256.digest(bytes)

    if (!digest.digest.every((byte, i) => byte === cid.multihash.digest[i])) {
      throw new Error(`${cid} does not match its block`)
    }

    cids.push(cid.toString())
  }

  return { root: root.toString(), cids }
}

export async function blockOf (cid: CID, blockstore: RecordingBlockstore): Promise<Uint8Array> {
  return collect((async function * () { yield * blockstore.get(cid) })())
}

/** Every CID below a CID and itself, depth first, with repetitions: the slow, obvious way. */
export async function naiveWalk (cid: CID, blockstore: RecordingBlockstore): Promise<string[]> {
  const codec = [dagPb, dagCbor, dagJson].find(({ code }) => code === cid.code)

  if (codec == null) {
    return [cid.toString()]
  }

  const cids = [cid.toString()]

  for (const link of linksIn(codec.decode(await blockOf(cid, blockstore)))) {
    cids.push(...await naiveWalk(link, blockstore))
  }

  return cids
}

function linksIn (value: unknown): CID[] {
  const cid = CID.asCID(value)

  if (cid != null) {
    return [cid]
  }

  return typeof value === 'object' && value != null && !(value instanceof Uint8Array)
    ? Object.values(value).flatMap(linksIn)
    : []
}

/** A context for a URL, such as `/ipfs/CID/a?format=car`, that leads to a CID. */
export function contextOf (
  { blockstore }: Pick<Store, 'blockstore'>,
  url: string,
  resolved: Partial<Resolved> & Pick<Resolved, 'cid'>,
  init: { method?: string, headers?: Record<string, string>, names?: NameResolver, signal?: AbortSignal } = {}
): ResponseContext {
  const { names, signal = SIGNAL, ...requestInit } = init
  const { pathname, search, searchParams } = new URL(url, 'http://localhost')
  const [, namespace, name, ...path] = pathname.split('/').map(decodeURIComponent)
  const request = new Request(new URL(url, 'http://localhost'), requestInit)
  const trailingSlash = path.at(-1) === ''
  const target: Target = {
    namespace: namespace as Target['namespace'],
    name,
    path: path.filter(Boolean),
    trailingSlash,
    rawPath: path.map(name => `/${encodeURIComponent(name)}`).join(''),
    query: searchParams,
    search
  }

  return {
    request,
    target,
    ...chooseFormat(target, request),
    resolved: { roots: [resolved.cid], names: target.path, ...resolved },
    components: { fs: ipfsz({ blockstore }), blocks: blockstore, names },
    init: {
      limits: {
        stallTimeout: 60_000,
        startTimeout: 60_000,
        pathTime: 5000,
        listedEntries: 10_000,
        decompressedBytes: 1_000_000,
        heldBytes: 1_000_000_000
      },
      memory: new MemoryBudget(1_000_000_000),
      parts: allParts()
    },
    signal
  }
}

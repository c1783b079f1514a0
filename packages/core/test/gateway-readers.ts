import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { expect, onTestFinished } from 'vitest'
import { GatewayPool, HttpSource } from '../src/fetch/http/index.ts'
import { ipfsz } from '../src/index.ts'
import { collect, CountingBlockstore, leavesOf, noise } from './fixtures.ts'
import type { CarSection, FakeGateway } from './fake-gateway.ts'
import type { FilePart, HttpSourceInit } from '../src/fetch/http/index.ts'

const MIB = 1024 * 1024

interface GetOptions {
  offline?: boolean
  signal?: AbortSignal
  expectedSize?: number
  part?: FilePart
}

/** A blockstore that fetches what it lacks from gateways. */
class GatewayBlockstore extends CountingBlockstore {
  readonly #source: HttpSource

  constructor (source: HttpSource) {
    super()
    this.#source = source
  }

  override async * get (cid: CID, { offline = false, ...options }: GetOptions = {}): AsyncGenerator<Uint8Array> {
    if (this.has(cid)) {
      yield * super.get(cid)
      return
    }

    if (offline) {
      throw Object.assign(new Error('offline'), { name: 'BlockNotFoundWhileOfflineError' })
    }

    const { part, expectedSize: size, signal } = options
    const { bytes } = await this.#source.fetch(cid, { part, size, signal })
    this.put(cid, bytes)
    yield bytes
  }
}

interface Reader {
  source: HttpSource
  blockstore: GatewayBlockstore
  read (options?: { path?: string, offset?: number, length?: number }): Promise<Uint8Array>
}

/** Reads below a root from gateways. Closed after the test. */
export function readerOf (
  root: CID,
  gateways: ReadonlyArray<FakeGateway | string>,
  init: Partial<Omit<HttpSourceInit, 'root' | 'pool'>> = {}
): Reader {
  const pool = new GatewayPool(gateways.map(gateway => typeof gateway === 'string' ? gateway : gateway.url))
  const source = new HttpSource({ root, pool, ...init })
  const blockstore = new GatewayBlockstore(source)
  onTestFinished(() => { source.close() })

  return { source, blockstore, read: async options => collect(ipfsz({ blockstore }).cat(root, options)) }
}

export interface File {
  cid: CID
  bytes: Uint8Array
  blockstore: CountingBlockstore
  leaves: CID[]
}

/** A plain file with 5 leaves of 1 MiB, made once. */
let file: Promise<File> | undefined

export async function plainFile (): Promise<File> {
  return file ??= (async () => {
    const blockstore = new CountingBlockstore()
    const bytes = noise(5 * MIB)
    const cid = await ipfsz({ blockstore }).addBytes(bytes, { compression: { codec: 'none' } })

    return { cid, bytes, blockstore, leaves: await leavesOf(cid, blockstore) }
  })()
}

export async function block (bytes: Uint8Array): Promise<CarSection> {
  return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
}

export function expectSame (actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.compare(actual, expected)).toBe(0)
}

/** How the demo page fetches a block from its peers. */
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { beforeEach, describe, expect, it } from 'vitest'
import { patient } from '../../examples/web-app/src/ipfs/peer-source.ts'
import type { Source } from '../../examples/web-app/src/ipfs/read.ts'

const BYTES = new TextEncoder().encode('a block')

/** A peer that sends a block once, and answers no second want for it, as Helia does. */
class Peer {
  readonly cid: CID
  readonly wants: string[] = []
  readonly #stored = new Set<string>()
  readonly #answer = Promise.withResolvers<undefined>()

  constructor (cid: CID) {
    this.cid = cid
  }

  /** Send what was asked for. */
  send (): void {
    this.#answer.resolve(undefined)
  }

  readonly source: Source = {
    put: async cid => cid,
    has: async cid => this.#stored.has(cid.toString()),
    get: (cid, options) => this.#get(cid, options?.signal)
  }

  async * #get (cid: CID, signal?: AbortSignal | null): AsyncGenerator<Uint8Array> {
    signal?.throwIfAborted()
    this.wants.push(cid.toString())
    await this.#answer.promise
    signal?.throwIfAborted()
    this.#stored.add(cid.toString())
    yield BYTES
  }
}

async function read (source: Source, cid: CID, signal?: AbortSignal): Promise<Uint8Array> {
  const [bytes] = await Array.fromAsync(source.get(cid, signal == null ? {} : { signal }) as AsyncIterable<Uint8Array>)

  return bytes
}

let peer: Peer

beforeEach(async () => {
  peer = new Peer(CID.createV1(raw.code, await sha256.digest(BYTES)))
})

describe('a block from a peer', () => {
  it('is asked for once, also if the reader that asked goes away before it arrives', async () => {
    const source = patient(peer.source, () => new AbortController().signal)
    const seeking = new AbortController()
    const first = read(source, peer.cid, seeking.signal)
    await expect.poll(() => peer.wants).toHaveLength(1)
    seeking.abort()
    await expect(first).rejects.toHaveProperty('name', 'AbortError')

    const second = read(source, peer.cid)
    peer.send()
    expect(await second).toEqual(BYTES)
    expect(await read(source, peer.cid)).toEqual(BYTES)
    // the last one reads what is stored
    expect(peer.wants).toHaveLength(2)
  })

  it('ends with a named error when the last peer goes away', async () => {
    const gone = new AbortController()
    const source = patient(peer.source, () => gone.signal)
    const reading = read(source, peer.cid)
    await expect.poll(() => peer.wants).toHaveLength(1)
    gone.abort(new DOMException('', 'NetworkError'))

    await expect(reading).rejects.toHaveProperty('name', 'NetworkError')
  })

  it('ends at once if no peer is left, and leaves no error behind', async () => {
    const source = patient(peer.source, () => AbortSignal.abort(new DOMException('', 'NetworkError')))

    await expect(read(source, peer.cid)).rejects.toHaveProperty('name', 'NetworkError')
    expect(peer.wants).toEqual([])
  })
})

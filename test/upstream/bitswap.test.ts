import { setImmediate } from 'node:timers/promises'
import { streamPair } from '@libp2p/utils'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { BitswapMessage, WantType } from '../../node_modules/@helia/bitswap/dist/src/pb/message.js'
import { mended } from './installed.ts'
import { BITSWAP, ON_STREAM, startHelia, startPeer } from './nodes.ts'
import type { Connection, Libp2p } from '@libp2p/interface'
import type { Helia } from 'helia'

const INTERNALS = 'packages/node/src/network/helia-internals'
const MIB = 1024 * 1024
const MISSING = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
const OTHER = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')

describe('@helia/bitswap', () => {
  it('does not listen to a stream before its own side is closed', async () => {
    const { network } = await startHelia()
    const [, stream] = await streamPair({ protocol: BITSWAP })
    // as on a busy link
    stream.close = async () => new Promise(() => {})

    await network[ON_STREAM](stream, {} as Connection)

    for (let i = 0; i < 100; i++) {
      await setImmediate()
    }

    const { listenerCount } = stream as unknown as { listenerCount: (type: string) => number }
    expect(
      listenerCount.call(stream, 'message'),
      mended('@helia/bitswap', 'packages/core/src/helia/listen-at-once.ts')
    ).toBe(0)
  })

  it('sends all blocks of a message on one stream, even more than a stream may hold', async () => {
    const [{ helia, network }, peer] = await Promise.all([startHelia(), startPeer()])
    let streams = 0
    let received = 0
    const arrived = new Promise<void>(resolve => {
      void peer.handle(BITSWAP, stream => {
        streams++
        stream.addEventListener('message', ({ data }) => {
          received += data.byteLength

          if (received > 6 * MIB) {
            resolve()
          }
        })
      })
    })
    await helia.libp2p.dial(peer.getMultiaddrs())
    const prefix = Uint8Array.of(1, 0x55, 0x12, 32)
    const blocks = new Map(Array.from({ length: 6 }, (_, i) => [`${i}`, { prefix, data: new Uint8Array(MIB) }]))

    await network.sendMessage(peer.peerId, {
      full: false,
      pendingBytes: 0,
      wantlist: new Map(),
      blockPresences: new Map(),
      blocks
    })
    await arrived

    expect(streams, mended('@helia/bitswap', `${INTERNALS}/short-streams.ts`)).toBe(1)
  })

  it('asks every peer for a block, so that every peer that has it sends it', async () => {
    const [{ helia }, ...peers] = await Promise.all([startHelia(), startPeer(), startPeer()])
    const asked = Promise.all(peers.map(wantsBlock))
    const controller = new AbortController()

    for (const peer of peers) {
      await helia.libp2p.dial(peer.getMultiaddrs())
    }

    const reading = helia.blockstore.get(MISSING, { signal: controller.signal })
    const read = Promise.resolve(reading.next()).catch(() => {})

    expect(await asked, mended('@helia/bitswap', 'packages/node/src/network/bitswap')).toEqual([true, true])
    controller.abort()
    await read
  })

  it('neither cancels a want nor sends it again, if it is repeated right after an abort', async () => {
    // the default is 10 ms, which a busy machine may need for less
    const [{ helia }, peer] = await Promise.all([startHelia({ sendWantlistDebounce: 1000 }), startPeer()])
    const asked = recordWants(peer)
    await helia.libp2p.dial(peer.getMultiaddrs())

    const first = want(helia, MISSING)
    await expect.poll(() => asked).toEqual([MISSING.toString()])
    first.abort()
    const rest = [want(helia, MISSING), want(helia, OTHER)]
    await expect.poll(() => asked).toContain(OTHER.toString())

    // both would be in one message
    expect(asked, mended('@helia/bitswap', 'FIRST_WAIT in packages/core/src/fetch/block-fetcher.ts'))
      .toEqual([MISSING, OTHER].map(String))
    rest.forEach(controller => { controller.abort() })
  })

  it('does not send a block again, if it sent it before on the same connection', async () => {
    const [{ helia }, peer] = await Promise.all([startHelia(), startPeer()])
    const received: string[] = []
    await peer.handle(BITSWAP, stream => {
      const chunks: Uint8Array[] = []
      stream.addEventListener('message', ({ data }) => { chunks.push(data.subarray()) })
      stream.addEventListener('end', () => {
        // one byte of length before it
        const { blocks } = BitswapMessage.decode(Buffer.concat(chunks).subarray(1))
        received.push(...blocks.map(({ data }) => Buffer.from(data).toString()))
      })
    })
    const [first, second] = await Promise.all(['first', 'second'].map(async text => {
      const bytes = Buffer.from(text)
      const cid = CID.createV1(raw.code, await sha256.digest(bytes))
      await helia.blockstore.put(cid, bytes)

      return cid
    }))
    const { remotePeer } = await peer.dial(helia.libp2p.getMultiaddrs())
    const ask = async (...cids: CID[]): Promise<void> => {
      const stream = await peer.dialProtocol(remotePeer, BITSWAP)
      const entries = cids.map(({ bytes }) => ({ cid: bytes, priority: 1 }))
      const message = BitswapMessage.encode({ wantlist: { entries }, blocks: [], blockPresences: [], pendingBytes: 0 })
      stream.send(Uint8Array.of(message.byteLength, ...message))
      await stream.close()
    }

    await ask(first)
    await expect.poll(() => received).toEqual(['first'])
    await ask(first, second)
    await expect.poll(() => received).toContain('second')

    // both would be in one message
    expect(received, mended('@helia/bitswap', 'Wants.send in packages/node/src/network/bitswap/wants.ts'))
      .toEqual(['first', 'second'])
  })
})

/** Fetches a block until the controller is aborted. */
function want (helia: Helia, cid: CID): AbortController {
  const controller = new AbortController()
  Promise.resolve(helia.blockstore.get(cid, { signal: controller.signal }).next()).catch(() => {})

  return controller
}

/** The CIDs that a peer is asked for, cancels too, in order. */
function recordWants (peer: Libp2p): string[] {
  const asked: string[] = []
  void peer.handle(BITSWAP, stream => {
    stream.addEventListener('message', ({ data }) => {
      // one byte of length before it
      const { wantlist } = BitswapMessage.decode(data.subarray().subarray(1))
      asked.push(...wantlist?.entries.map(({ cid }) => CID.decode(cid).toString()) ?? [])
    })
  })

  return asked
}

/** Resolves when a peer is asked for the block itself. */
async function wantsBlock (peer: Libp2p): Promise<boolean> {
  return new Promise(resolve => {
    void peer.handle(BITSWAP, stream => {
      stream.addEventListener('message', ({ data }) => {
        // skips the length prefix of one byte
        const { wantlist } = BitswapMessage.decode(data.subarray().subarray(1))

        if (wantlist?.entries.some(({ wantType }) => wantType === WantType.WantBlock) === true) {
          resolve(true)
        }
      })
    })
  })
}

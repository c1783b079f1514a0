import { describe, expect, it } from 'vitest'
import { Wants } from '../src/network/bitswap/wants.ts'
import { makeBlocks } from './nodes.ts'
import type { BitswapMessages } from '../src/network/helia-internals/bitswap-messages.ts'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

interface Entry {
  cid: Uint8Array
  wantType?: string
  cancel?: boolean
}

const [a, b] = ['a', 'b'].map(name => ({ toString: () => name }) as PeerId)

/** A Bitswap that records the entries that it is to send, or that fails to send. */
function fakeBitswap (fail?: Error): {
  wants: Wants
  sent: Array<{ peer: PeerId, entries: Entry[] }>
  receive: (cid: CID, sender: PeerId) => void
} {
  const sent: Array<{ peer: PeerId, entries: Entry[] }> = []
  const wantList = Object.assign(new EventTarget(), { peers: new Map() })
  const bitswap = {
    network: {
      addEventListener: () => {},
      sendMessage: async (peer: PeerId, { wantlist }: { wantlist: Map<string, Entry> }) => {
        if (fail != null) {
          throw fail
        }

        sent.push({ peer, entries: [...wantlist.values()] })
      }
    },
    wantList
  }

  return {
    wants: new Wants(bitswap as unknown as BitswapMessages),
    sent,
    receive: (cid, sender) => {
      wantList.dispatchEvent(new CustomEvent('block', { detail: { cid, block: new Uint8Array(0), sender } }))
    }
  }
}

async function makeCids (count: number): Promise<CID[]> {
  return (await makeBlocks(count)).map(({ cid }) => cid)
}

describe('Wants', () => {
  it('sends wants that are made at once in one message per peer', async () => {
    const { wants, sent } = fakeBitswap()
    const cids = await makeCids(3)

    await Promise.all([...cids.map(async cid => wants.send(cid, a, 'block')), wants.send(cids[0], b, 'presence')])

    expect(sent).toEqual([
      {
        peer: a,
        entries: cids.map(({ bytes }) => ({ cid: bytes, priority: 1, wantType: 'WantBlock', sendDontHave: true }))
      },
      { peer: b, entries: [{ cid: cids[0].bytes, priority: 1, wantType: 'WantHave', sendDontHave: true }] }
    ])
  })

  it('replaces a want with its cancel, and sends a new want in a later message', async () => {
    const { wants, sent } = fakeBitswap()
    const [cid] = await makeCids(1)

    await Promise.all([wants.send(cid, a, 'block'), wants.cancel(cid, a), wants.send(cid, a, 'block')])

    expect(sent.map(({ entries }) => entries.map(({ cancel = false }) => cancel))).toEqual([[true], [false]])
  })

  it('cancels wants of blocks that the same peer has sent, before it asks for them again', async () => {
    const { wants, sent, receive } = fakeBitswap()
    const cids = await makeCids(3)

    cids.slice(0, 2).forEach(cid => { receive(cid, a) })
    await Promise.all([...cids.map(async cid => wants.send(cid, a, 'block')), wants.send(cids[0], b, 'block')])
    await wants.send(cids[1], a, 'block')

    const cancelled = sent.map(({ peer, entries }) => [peer, entries.map(({ cancel = false }) => cancel)])
    expect(cancelled).toHaveLength(4)
    // the first messages to the two peers are sent in any order
    expect(cancelled).toEqual(expect.arrayContaining([[a, [true, true]], [a, [false, false, false]], [b, [false]]]))
    expect(cancelled.at(-1)).toEqual([a, [false]])
  })

  it('rejects all wants of a message that cannot be sent', async () => {
    const { wants } = fakeBitswap(new Error('gone'))
    const cids = await makeCids(2)

    await expect(Promise.allSettled(cids.map(async cid => wants.send(cid, a, 'block'))))
      .resolves.toMatchObject([{ reason: { message: 'gone' } }, { reason: { message: 'gone' } }])
  })
})

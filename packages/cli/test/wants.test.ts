import { describe, expect, it } from 'vitest'
import { Wants } from '../src/network/bitswap/wants.ts'
import { makeBlocks } from './nodes.ts'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

interface Entry {
  cid: Uint8Array
  wantType?: string
  cancel?: boolean
}

const [a, b] = ['a', 'b'].map(name => ({ toString: () => name }) as PeerId)

/** A Bitswap that keeps what it is to send, and what of it: `CID what` of each entry. */
function fakeBitswap (fail?: Error): { wants: Wants, sent: Array<{ peer: PeerId, entries: Entry[] }> } {
  const sent: Array<{ peer: PeerId, entries: Entry[] }> = []
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
    wantList: { peers: new Map(), addEventListener: () => {} }
  }

  return { wants: new Wants({ bitswap }), sent }
}

async function makeCids (count: number): Promise<CID[]> {
  return (await makeBlocks(count)).map(({ cid }) => cid)
}

describe('what is asked of peers', () => {
  it('goes to each in one message, when it is asked at one time', async () => {
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

  it('is taken back when it is not wanted any more, and asked again in a later message', async () => {
    const { wants, sent } = fakeBitswap()
    const [cid] = await makeCids(1)

    await Promise.all([wants.send(cid, a, 'block'), wants.cancel(cid, a), wants.send(cid, a, 'block')])

    expect(sent.map(({ entries }) => entries.map(({ cancel = false }) => cancel))).toEqual([[true], [false]])
  })

  it('fails for all that was in a message when that cannot be sent', async () => {
    const { wants } = fakeBitswap(new Error('gone'))
    const cids = await makeCids(2)

    await expect(Promise.allSettled(cids.map(async cid => wants.send(cid, a, 'block'))))
      .resolves.toMatchObject([{ reason: { message: 'gone' } }, { reason: { message: 'gone' } }])
  })

  it.each([undefined, {}, { bitswap: {} }, {
    bitswap: { network: { sendMessage: () => {} } }
  }])('is refused by a Bitswap of another kind: %j', broker => {
    expect(() => new Wants(broker)).toThrow(expect.objectContaining({ name: 'NodeError' }))
  })
})

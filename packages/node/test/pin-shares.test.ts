/** How the nodes of a store share out which pins each of them advertises. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { PinShares } from '../src/cluster/pin-shares.ts'
import { makeBlocks } from './nodes.ts'
import type { CID } from 'multiformats/cid'

const DELAY = 1000

/** The shares of nodes that all know the same ones. */
function shareOut (
  living: string[]
): Array<{ peerId: string, shares: PinShares, taken: Array<(cid: CID) => boolean> }> {
  return living.map(peerId => {
    const taken: Array<(cid: CID) => boolean> = []
    const shares = new PinShares({
      peerId,
      nodes: { living },
      delay: DELAY,
      onTakeOver: isNew => { taken.push(isNew) }
    })
    onTestFinished(() => { shares.stop() })

    return { peerId, shares, taken }
  })
}

describe('the pins of a store', () => {
  it('are advertised by all nodes if there are one or two, and else by two each', async () => {
    const pins = await makeBlocks(40, 10)

    for (const [size, providers] of [[1, 1], [2, 2], [3, 2], [5, 2]]) {
      const nodes = shareOut(['a', 'b', 'c', 'd', 'e'].slice(0, size))

      for (const { cid } of pins) {
        expect(nodes.filter(({ shares }) => shares.isOurs(cid))).toHaveLength(providers)
      }
    }
  })

  it('are taken over from a node that is gone, each by one of the others', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => { vi.useRealTimers() })
    const pins = await makeBlocks(40, 10)
    const living = ['a', 'b', 'c', 'd']
    const nodes = shareOut(living)
    const before = pins.map(({ cid }) => nodes.filter(({ shares }) => shares.isOurs(cid)).map(({ peerId }) => peerId))
    living.splice(3)
    const rest = nodes.slice(0, 3)
    rest.forEach(({ shares }) => { shares.lose(['d']) })
    vi.advanceTimersByTime(DELAY)

    for (const [i, { cid }] of pins.entries()) {
      const takers = rest.filter(({ taken }) => taken.some(isNew => isNew(cid)))

      expect(takers).toHaveLength(before[i].includes('d') ? 1 : 0)
      takers.forEach(({ peerId }) => { expect(before[i]).not.toContain(peerId) })
    }
  })

  it('stay with a node that is back in time', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => { vi.useRealTimers() })
    const living = ['a', 'b', 'c']
    const [{ shares, taken }] = shareOut(living)
    living.pop()
    shares.lose(['c'])
    living.push('c')
    vi.advanceTimersByTime(DELAY)

    expect(taken).toEqual([])
  })
})

import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { EventLoopTurns } from '../src/node/event-loop-turns.ts'

/** Take turns for `milliseconds` without waiting for anything else. */
async function keepBusy (turns: EventLoopTurns, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds

  while (performance.now() < end) {
    await turns.take()
  }
}

/** Turns of an event loop that is kept busy until the next turn. */
function busyTurns (prefersNew: boolean): EventLoopTurns {
  const turns = new EventLoopTurns({ prefersNew })
  void turns.take()

  for (let i = 0; i < 2; i++) {
    const end = performance.now() + 30
    while (performance.now() < end);
    void turns.take()
  }

  return turns
}

async function orderOf (turns: EventLoopTurns): Promise<number[]> {
  const order: number[] = []
  await Promise.all(Array.from({ length: 8 }, async (_, i) => turns.take().then(() => order.push(i))))

  return order
}

describe('turns of responses', () => {
  it('let the event loop run while responses wait for nothing', async () => {
    const turns = new EventLoopTurns({ prefersNew: false })
    const order: string[] = []

    await Promise.all([
      ...Array.from({ length: 30 }, async () => keepBusy(turns, 500).then(() => order.push('sent'))),
      // a new request
      setTimeout(1).then(() => order.push('timer'))
    ])

    expect(order[0]).toBe('timer')
  })

  it('come to all that wait, in order', async () => {
    expect(await orderOf(busyTurns(false))).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('come to the one that came last as soon as to the one that came first, if asked to', async () => {
    // one waits before these
    expect(await orderOf(busyTurns(true))).toEqual([7, 6, 0, 5, 1, 4, 2, 3])
  })
})

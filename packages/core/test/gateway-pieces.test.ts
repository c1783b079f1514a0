/** @module-tag long */
import { describe, expect, it } from 'vitest'
import { GatewayPool, HttpSource } from '../src/fetch/http/index.ts'
import { encodeCar, encodeSection, startGateway } from './fake-gateway.ts'
import { stored } from './fixtures.ts'
import { expectSame, plainFile, readerOf } from './gateway-readers.ts'
import type { Asked, FakeGateway } from './fake-gateway.ts'

const MIB = 1024 * 1024
const PLAN = { path: '', scope: 'entity' } as const
const NEVER = 3_600_000

/** Answer CARs with 500 KB a second, and from an event on at once. */
function trickle (until: Promise<unknown> = new Promise(() => {})): (asked: Asked) => Promise<void> {
  let isFast = false
  void until.then(() => isFast = true)

  return async ({ blocks, isCar, response, answer }) => {
    if (!isCar) {
      return answer()
    }

    const car = encodeCar(await blocks())
    const started = performance.now()
    let position = 0
    response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })

    const timer = setInterval(() => {
      const next = isFast ? car.byteLength : Math.floor((performance.now() - started) * 500)
      response.write(car.subarray(position, next))
      position = next

      if (position >= car.byteLength) {
        clearInterval(timer)
        response.end()
      }
    }, 10)
    response.once('close', () => { clearInterval(timer) })
  }
}

/** Answer as told, and note that it was asked. */
function noting (
  { resolve }: Pick<PromiseWithResolvers<void>, 'resolve'>,
  answer: (asked: Asked) => Promise<void>
): (asked: Asked) => Promise<void> {
  return async asked => {
    resolve()
    await answer(asked)
  }
}

/** Send the first blocks of a CAR, and then nothing for as long as it is read. */
function silentAfter (count: number): (asked: Asked) => Promise<void> {
  return async ({ blocks, response }) => {
    response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
    response.write(encodeCar((await blocks()).slice(0, count)))
  }
}

/** The first and the last byte of each range that was asked for. */
function ranges ({ requests }: FakeGateway): Array<[number, number]> {
  return requests.map(url => (/entity-bytes=(\d+):(\d+)/.exec(url) ?? []).slice(1).map(Number) as [number, number])
    .filter(bounds => bounds.length === 2)
}

describe('a file that several gateways send', () => {
  it('comes from one of them if it is small', async () => {
    const { cid, bytes, blockstore } = await stored(300_000)
    const [a, b] = [await startGateway(blockstore), await startGateway(blockstore)]

    expectSame(await readerOf(cid, [a, b], { plan: PLAN, hedgeTime: NEVER }).read(), bytes)
    expect(a.requests).toHaveLength(1)
    expect(b.requests).toHaveLength(0)
  })

  it('comes in pieces from both if one takes long', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const asked = Promise.withResolvers<void>()
    const a = await startGateway(blockstore, trickle(asked.promise))
    const b = await startGateway(blockstore, noting(asked, async ({ answer }) => answer()))

    expectSame(await readerOf(cid, [a, b], { plan: PLAN, hedgeTime: NEVER }).read(), bytes)
    expect(a.requests[0]).toBe(`/ipfs/${cid}?format=car&dag-scope=entity`)
    expect(ranges(b)[0][0]).toBeGreaterThan(0)
    // pieces begin with a block
    expect([...ranges(a), ...ranges(b)].every(([start]) => start % MIB === 0)).toBe(true)
  })

  it('comes from the others if one of three is slow, whose response is cut', { tags: 'slow' }, async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const slow = await startGateway(blockstore, trickle())
    const others = [await startGateway(blockstore), await startGateway(blockstore)]

    expectSame(await readerOf(cid, [slow, ...others], { plan: PLAN, hedgeTime: NEVER }).read(), bytes)
    expect(slow.aborted).toBeGreaterThan(0)
    expect(others.flatMap(({ requests }) => requests).length).toBeGreaterThan(0)
  })

  it('is taken over where a gateway fell silent', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const silent = await startGateway(blockstore, silentAfter(3))
    const other = await startGateway(blockstore)
    // on a busy machine a block that is late counts as silence, too: so which bytes are asked for is not compared
    const reader = readerOf(cid, [silent, other], { plan: PLAN, hedgeTime: 200, stallTimeout: NEVER })

    expectSame(await reader.read(), bytes)
    expect(silent.aborted).toBeGreaterThan(0)
    expect(ranges(other)).not.toEqual([])
  })

  it('goes on where one sends a wrong block, which that one is not asked for again', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const liar = await startGateway(blockstore, async ({ blocks, send }) => {
      const sections = await blocks()
      sections[3] = { ...sections[3], bytes: sections[3].bytes.toReversed() }
      await send(encodeCar(sections))
    })
    const honest = await startGateway(blockstore)
    const { read, blockstore: fetched } = readerOf(cid, [liar, honest], { plan: PLAN, hedgeTime: NEVER })

    expectSame(await read(), bytes)
    expect(liar.requests).toHaveLength(1)
    // in one request, or in more if the liar seemed slow: the good blocks that it sent are not asked for again
    expect(honest.requests).not.toHaveLength(0)
    expect(ranges(honest).filter(([start]) => start < 2 * MIB)).toEqual([])
    expect(fetched.has(cid)).toBe(true)
  })

  it.each([
    ['wrong bytes', async ({ blocks, send }: Asked) => {
      const sections = await blocks()
      await send(encodeCar(sections.map(({ cid, bytes }) => ({ cid, bytes: bytes.toReversed() }))))
    }],
    ['429 with Retry-After', async ({ response }: Asked) => {
      response.writeHead(429, { 'retry-after': '3600' }).end()
    }],
    ['404', async ({ response }: Asked) => { response.writeHead(404).end() }],
    ['a page', async ({ send }: Asked) => send(Buffer.from('<html>'), { 'content-type': 'text/html' })]
  ])('comes from the other one if one answers with %s', async (_, answer) => {
    const { cid, bytes, blockstore } = await plainFile()
    const asked = Promise.withResolvers<void>()
    const good = await startGateway(blockstore, trickle(asked.promise))
    const bad = await startGateway(blockstore, noting(asked, answer))

    expectSame(await readerOf(cid, [good, bad], { plan: PLAN, hedgeTime: NEVER }).read(), bytes)
    expect(bad.requests).toHaveLength(1)
  })

  it('comes whole although every CAR of one ends early', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const asked = Promise.withResolvers<void>()
    const whole = await startGateway(blockstore, trickle(asked.promise))
    const short = await startGateway(blockstore, noting(asked, async ({ blocks, isCar, send, answer }) =>
      isCar ? send(encodeCar((await blocks()).slice(0, 2))) : answer()))

    expectSame(await readerOf(cid, [whole, short], { plan: PLAN, hedgeTime: NEVER }).read(), bytes)
    expect(short.requests.length).toBeGreaterThan(0)
  })

  it('comes whole although CARs of one go on behind the piece', async () => {
    const { cid, bytes, blockstore, leaves } = await plainFile()
    const asked = Promise.withResolvers<void>()
    const exact = await startGateway(blockstore, trickle(asked.promise))
    const long = await startGateway(blockstore, noting(asked, async ({ blocks, isCar, response, answer }) => {
      if (!isCar) {
        return answer()
      }

      response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
      response.write(encodeCar(await blocks()))

      for (const leaf of leaves) {
        for await (const bytes of blockstore.get(leaf)) {
          response.write(encodeSection({ cid: leaf, bytes }))
        }
      }

      response.end()
    }))

    expectSame(await readerOf(cid, [exact, long], { plan: PLAN, hedgeTime: NEVER }).read(), bytes)
    expect(long.requests.length).toBeGreaterThan(0)
  })

  it('is read on when both links are cut and come back', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    let down = 0
    const cut = async (asked: Asked): Promise<void> => {
      if (asked.isCar && down++ < 6) {
        const car = encodeCar(await asked.blocks())
        asked.response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
        asked.response.write(car.subarray(0, down * 300_000), () => { asked.response.destroy() })
      } else {
        await asked.answer()
      }
    }
    const [a, b] = [await startGateway(blockstore, cut), await startGateway(blockstore, cut)]

    expectSame(await readerOf(cid, [a, b], { plan: PLAN, hedgeTime: NEVER }).read(), bytes)
  })

  it('tells for how long each gateway was measured, also in responses that have ended', async () => {
    const { cid, blockstore } = await plainFile()
    const pool = new GatewayPool([(await startGateway(blockstore, trickle())).url])
    const source = new HttpSource({ root: cid, pool, plan: PLAN })

    await source.fetch(cid)
    source.close()

    expect(pool.gateways[0].waited).toBeGreaterThan(0)
  })

  it('has blocks that name the gateway which sent each', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const silent = await startGateway(blockstore, silentAfter(1))
    const other = await startGateway(blockstore)
    const { source } = readerOf(cid, [silent, other], { plan: PLAN, hedgeTime: 200, stallTimeout: NEVER })
    const root = await source.fetch(cid)
    const sent = await Promise.all(leaves.map(async (leaf, i) =>
      source.fetch(leaf, { part: { file: cid, start: i * MIB, end: 5 * MIB }, size: MIB })
    ))

    // on a busy machine, the first answer of the silent one may come too late
    expect([silent.url, other.url]).toContain(root.sender)
    expect(sent.map(({ sender }) => sender)).toEqual(leaves.map(() => other.url))
  })
})

/** What gateways do that are not to be relied upon, each a few times: after that they are honest. */
const FAULTS: ReadonlyArray<(asked: Asked) => Promise<void>> = [
  trickle(),
  silentAfter(0),
  silentAfter(2),
  async ({ response }) => { response.destroy() },
  async ({ response }) => { response.writeHead(503, { 'retry-after': '1' }).end() },
  async ({ response }) => { response.writeHead(404).end() },
  async ({ blocks, send }) => {
    const sections = await blocks()
    await send(encodeCar(sections.map(({ cid, bytes }, i) => ({ cid, bytes: i === 1 ? bytes.toReversed() : bytes }))))
  },
  async ({ blocks, send }) => send(encodeCar((await blocks()).slice(0, 2))),
  async ({ blocks, response }) => {
    const car = encodeCar(await blocks())
    response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
    response.write(car.subarray(0, car.byteLength / 2), () => { response.destroy() })
  }
]

describe('several gateways', () => {
  it('send the right bytes if one is honest, whatever the others do', { tags: 'slow' }, async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const read = async (a: number, b: number, place: number): Promise<boolean> => {
      const faulty = [FAULTS[a], FAULTS[b]].map(fault => async (asked: Asked) =>
        asked.isCar && asked.number < 4 ? fault(asked) : asked.answer())
      const honest = Promise.withResolvers<void>()
      const answers = faulty.toSpliced(place, 0, noting(honest, trickle(honest.promise)))
      const gateways = await Promise.all(answers.map(async answer => startGateway(blockstore, answer)))

      return Buffer.compare(
        await readerOf(cid, gateways, { plan: PLAN, hedgeTime: 50, stallTimeout: 2000 }).read(),
        bytes
      ) === 0
    }
    const pairs = FAULTS.map((_, i) => [i, (i * 4 + 1) % FAULTS.length, i % 3] as const)

    expect(await Promise.all(pairs.map(async pair => read(...pair)))).toEqual(pairs.map(() => true))
  })
})

describe('a request that nobody waits for any longer', () => {
  it('ends before it is answered', async () => {
    const { cid, blockstore } = await plainFile()
    const asked = Promise.withResolvers<void>()
    const gateway = await startGateway(blockstore, async () => { asked.resolve() })
    const { source } = readerOf(cid, [gateway], { plan: PLAN })
    const other = new AbortController()
    const fetched = source.fetch(cid, { signal: other.signal })

    await asked.promise
    other.abort()

    await expect(fetched).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => gateway.aborted).toBe(1)
  })
})

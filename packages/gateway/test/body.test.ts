import { equals } from 'multiformats/bytes'
import { describe, expect, it } from 'vitest'
import { openBody } from '../src/respond/body.ts'
import { addCompressed, get, KIB, noise, same, serve } from './fixtures.ts'
import type { CodecName } from '@ipfsz/codecs'

const NEVER = new AbortController().signal

async function * source (...chunks: Array<Uint8Array | Error>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    if (chunk instanceof Error) {
      throw chunk
    }

    yield chunk
  }
}

async function read (body: ReadableStream<Uint8Array>): Promise<{ bytes: Buffer, error?: unknown }> {
  const chunks: Uint8Array[] = []

  try {
    for await (const chunk of body) {
      chunks.push(chunk)
    }

    return { bytes: Buffer.concat(chunks) }
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error }
  }
}

describe('a body', () => {
  it('is read as the client takes it, with one piece ahead', async () => {
    let taken = 0
    const body = await openBody(async function * () {
      for (; taken < 100; taken++) {
        yield noise(10)
      }
    }, { signal: NEVER, stallTimeout: 1000 })

    expect(taken).toBe(0)
    const reader = body.getReader()
    await reader.read()
    await reader.read()
    expect(taken).toBe(1)
    await reader.cancel()
  })

  it('rejects if its first bytes fail', async () => {
    const failure = new Error('failed')

    await expect(openBody(() => source(failure), { signal: NEVER, stallTimeout: 1000 })).rejects.toBe(failure)
  })

  it('is an error of the stream if later bytes fail', async () => {
    const failure = new Error('failed')
    const body = await openBody(() => source(noise(10), failure), { signal: NEVER, stallTimeout: 1000 })

    expect(await read(body)).toMatchObject({ bytes: { byteLength: 10 }, error: failure })
  })

  it.each([[9, 10], [11, 10], [0, 10], [10, 0]])('of %d bytes is an error if %d come', async (length, actual) => {
    const answer = openBody(() => source(noise(actual)), { signal: NEVER, stallTimeout: 1000, length }).then(read)

    expect(await answer.then(({ error }) => error, (error: unknown) => error)).toMatchObject(
      { name: 'BodyLengthError', expected: length, actual }
    )
  })

  it('is an error if it is larger than allowed', async () => {
    const body = await openBody(() => source(noise(10), noise(1)), { signal: NEVER, stallTimeout: 1000, limit: 10 })

    expect((await read(body)).error).toMatchObject({ name: 'BodyTooLargeError', limit: 10 })
  })

  it('is an error if no byte arrives in time, and closes its source', async () => {
    let signal = NEVER
    const body = await openBody(given => {
      signal = given

      return (async function * () {
        yield noise(10)
        await new Promise(() => {})
      })()
    }, { signal: NEVER, stallTimeout: 10 })

    expect((await read(body)).error).toMatchObject({ name: 'BodyStalledError', time: 10 })
    expect(signal.aborted).toBe(true)
  })

  it('ends its source if it is cancelled, or its signal aborts', async () => {
    for (const end of ['cancel', 'abort']) {
      const controller = new AbortController()
      let closed = false
      const body = await openBody(async function * () {
        try {
          yield noise(10)
          yield noise(10)
        } finally {
          closed = true
        }
      }, { signal: controller.signal, stallTimeout: 1000 })

      if (end === 'cancel') {
        await body.cancel()
      } else {
        controller.abort()
        expect((await read(body)).error).toMatchObject({ name: 'AbortError' })
      }

      await expect.poll(() => closed).toBe(true)
    }
  })
})

describe('a file whose last blocks are missing or damaged', () => {
  it.each<[CodecName, string]>([
    ['zstd', 'zstd'], ['zstd', 'identity'], ['gzip', 'gzip'], ['gzip', 'identity'], ['brotli', 'identity']
  ])('of %s, sent as %s, is an error of the body', { tags: 'slow' }, async (codec, coding) => {
    const { gateway, fs, blockstore } = serve()
    const bytes = noise(2_500_000)
    const cid = await addCompressed(fs, bytes, codec, 64 * KIB)
    const blocks = await Array.fromAsync(blockstore.getAll())
    const last = blocks.findLast(({ cid: leaf }) => !equals(leaf.multihash.bytes, cid.multihash.bytes))

    if (last == null) {
      throw new Error('there are no leaves')
    }

    for (const damage of ['CorruptBlockError', 'NotFoundError']) {
      if (damage === 'CorruptBlockError') {
        await blockstore.put(last.cid, noise(100))
      } else {
        await blockstore.delete(last.cid)
      }

      const response = await gateway(get(`${cid}?filename=a.bin`, { 'accept-encoding': coding }))
      expect(response.status).toBe(200)
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(coding)

      const { bytes: sent, error } = response.body == null ? { bytes: noise(0) } : await read(response.body)

      expect(error).toMatchObject({ name: damage })
      expect(sent.byteLength).toBeGreaterThan(100_000)
      expect(sent.byteLength).toBeLessThan(Number(response.headers.get('content-length')))
      expect(coding !== 'identity' || same(sent, bytes.subarray(0, sent.byteLength))).toBe(true)
    }
  })
})

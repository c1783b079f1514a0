import { describe, expect, it } from 'vitest'
import { same } from '../support/data.ts'
import { text } from '../support/data.ts'
import { countTasks, openPage } from './open-page.ts'
import { expectRoundTrip, NAMES, TEXT, WRITERS } from './round-trip.ts'
import type { Page } from './open-page.ts'

/** Takes the fastest codec so long that the page does something else meanwhile. */
const LONG_TEXT = text(1024 * 1024)

/** A page that is told that its machine has this many cores. */
async function openPageOn (cores: number): Promise<Page> {
  return openPage({
    prepare: ({ navigator }) => { Object.defineProperty(navigator, 'hardwareConcurrency', { value: cores }) }
  })
}

describe('a codec in a browser', () => {
  it.each(WRITERS)('leaves the thread of the page free: %s (%s)', async (name, implementation) => {
    const page = await openPage()
    const codec = page.codecs[name]({ implementation })
    const bytes = page.own(LONG_TEXT)
    // load the implementation first
    await expectRoundTrip(page, codec)

    const compressing = Promise.resolve(codec.compress(bytes))
    expect(await countTasks(compressing)).toBeGreaterThan(3)
    const decompressing = Promise.resolve(codec.decompress(await compressing, { size: bytes.byteLength }))
    expect(await countTasks(decompressing)).toBeGreaterThan(3)
    expect(page.workers.started).toBeGreaterThan(0)
  })

  it.each(
    WRITERS
  )('occupies the thread of the page if workers is false: %s (%s)', async (name, implementation) => {
    const page = await openPage()
    const codec = page.codecs[name]({ implementation, workers: false })
    const bytes = page.own(LONG_TEXT)
    await expectRoundTrip(page, codec)

    expect(await countTasks(Promise.resolve(codec.compress(bytes)))).toBe(0)
    expect(page.workers.started).toBe(0)
  })

  it('decompresses in a worker: zstd (js)', async () => {
    const { codecs, workers } = await openPage()
    const frame = await codecs.zstd({ workers: false }).compress(TEXT)

    expect(same(await codecs.zstd({ implementation: 'js' }).decompress(frame, { size: TEXT.byteLength }), TEXT))
      .toBe(true)
    expect(workers.started).toBe(1)
  })

  it('starts the workers of calls that are announced, which then start none', async () => {
    const page = await openPageOn(2)
    const codec = page.codecs.zstd()
    codec.prepare?.({ to: 'decompress', calls: 100 })
    await expect.poll(() => page.workers.started).toBe(2)
    await Promise.all([1, 2, 3].map(async () => expectRoundTrip(page, codec)))

    expect(page.workers.started).toBe(2)
  })

  it('starts no worker before its first call', async () => {
    const { codecs, workers } = await openPage()
    NAMES.forEach(name => codecs[name]())

    expect(workers.started).toBe(0)
  })
})

describe('the workers of a page', () => {
  it.each([
    [1, 1],
    [3, 3],
    [64, 8]
  ])('on %i cores are exactly %i, however many calls run', async (cores, most) => {
    const page = await openPageOn(cores)
    const codec = page.codecs.lz4()
    await Promise.all(Array.from({ length: 20 }, async () => expectRoundTrip(page, codec)))
    expect(page.workers.started).toBe(most)

    await Promise.all(Array.from({ length: 20 }, async () => expectRoundTrip(page, codec)))
    expect(page.workers.started).toBe(most)
    expect(page.workers.running).toBe(most)
  })

  it('are shared by all codecs', async () => {
    const page = await openPageOn(2)
    const codecs = NAMES.flatMap(name => [page.codecs[name](), page.codecs[name]()])
    await Promise.all(codecs.map(async codec => expectRoundTrip(page, codec)))

    expect(page.workers.most).toBe(2)
  })

  it('are shared by two instances of one codec', async () => {
    const page = await openPageOn(8)
    await expectRoundTrip(page, page.codecs.snappy())
    await expectRoundTrip(page, page.codecs.snappy())

    expect(page.workers.started).toBe(1)
  })
})

describe('an aborted call in a browser', () => {
  it('rejects with the reason of the signal, and terminates its worker', async () => {
    const page = await openPage()
    const codec = page.codecs.gzip()
    await expectRoundTrip(page, codec)
    const controller = new page.window.AbortController()
    const reason = new Error('enough')
    const call = codec.compress(page.own(LONG_TEXT), { level: 9, signal: controller.signal })
    setTimeout(() => { controller.abort(reason) })

    await expect(call).rejects.toBe(reason)
    expect(page.workers.running).toBe(0)
    await expectRoundTrip(page, codec)
    expect(page.workers.running).toBe(1)
  })

  it('rejects while it waits for a worker, and leaves other calls alone', async () => {
    const page = await openPageOn(1)
    const codec = page.codecs.gzip()
    const controller = new page.window.AbortController()
    const bytes = page.own(LONG_TEXT)
    await expectRoundTrip(page, codec)

    const first = codec.compress(bytes)
    const second = expect(codec.compress(bytes, { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError'
    })
    const third = codec.compress(bytes)
    setTimeout(() => { controller.abort() })

    await second
    expect(same(await first, await third)).toBe(true)
    expect(page.workers.started).toBe(1)
  })

  it('rejects without starting a worker if the signal is already aborted', async () => {
    const { codecs, workers, window } = await openPage()
    const signal = window.AbortSignal.abort('too late')

    await expect(codecs.zstd().compress(TEXT, { signal })).rejects.toBe('too late')
    await expect(codecs.zstd().decompress(TEXT, { size: 1, signal })).rejects.toBe('too late')
    expect(workers.started).toBe(0)
  })
})

describe('the bytes of a caller', () => {
  it.each(WRITERS)('are not changed by %s (%s)', async (name, implementation) => {
    const { codecs, own } = await openPage()
    const codec = codecs[name]({ implementation })
    const bytes = own(TEXT)
    const frame = own(await codec.compress(bytes))
    const copy = own(frame)

    await codec.decompress(frame, { size: TEXT.byteLength })
    expect(same(bytes, TEXT)).toBe(true)
    expect(same(frame, copy)).toBe(true)
  })

  it.each(WRITERS)('are transferred to %s (%s) with transfer: true', async (name, implementation) => {
    const { codecs, own } = await openPage()
    const codec = codecs[name]({ implementation })
    const bytes = own(TEXT)
    const frame = await codec.compress(bytes, { transfer: true })

    expect(bytes.buffer.detached).toBe(true)
    expect(same(await codec.decompress(frame, { size: TEXT.byteLength }), TEXT)).toBe(true)
  })

  it('are not transferred if they are part of a larger buffer, even with transfer: true', async () => {
    const { codecs, own } = await openPage()
    const memory = own(TEXT)
    const part = memory.subarray(1000, 50_000)
    const frame = await codecs.zstd().compress(part, { transfer: true })

    expect(same(memory, TEXT)).toBe(true)
    expect(same(await codecs.zstd().decompress(frame, { size: part.byteLength }), part)).toBe(true)
  })

  it.each(WRITERS)('may come from another window: %s (%s), with and without workers', async (name, implementation) => {
    const { codecs } = await openPage()

    for (const workers of [true, false]) {
      const codec = codecs[name]({ implementation, workers })
      // copied into the window that the test runs in
      const frame = new Uint8Array(await codec.compress(TEXT))
      expect(same(await codec.decompress(frame, { size: TEXT.byteLength }), TEXT), `workers: ${workers}`).toBe(true)
    }
  })

  it('may be in shared memory', async () => {
    const { codecs, window } = await openPage()
    // a page that is not cross-origin isolated has no SharedArrayBuffer, but WebAssembly memory may be shared
    const { buffer } = new window.WebAssembly.Memory({ initial: 4, maximum: 4, shared: true })
    const bytes = new window.Uint8Array(buffer, 0, TEXT.byteLength)
    bytes.set(TEXT)

    for (const name of NAMES) {
      const frame = await codecs[name]().compress(bytes, { transfer: true })
      expect(same(await codecs[name]().decompress(frame, { size: TEXT.byteLength }), TEXT), name).toBe(true)
    }
  })
})

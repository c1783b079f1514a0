import { describe, expect, it } from 'vitest'
import { same } from '../support/data.ts'
import { openPage } from './open-page.ts'
import { expectRoundTrip, NAMES, TEXT } from './round-trip.ts'
import type { PageInit, PageWindow } from './open-page.ts'

/** A Worker whose program never runs: it only fires an error event. */
function brokenWorker (window: PageWindow, onStart = (): void => {}): typeof Worker {
  return class extends window.EventTarget {
    constructor () {
      super()
      onStart()
      setTimeout(() => this.dispatchEvent(new window.Event('error', { cancelable: true })))
    }

    postMessage (): void {}
    terminate (): void {}
  } as unknown as typeof Worker
}

const WITHOUT_WORKERS: ReadonlyArray<[string, PageInit]> = [
  ['that has no Worker', { prepare: window => { Reflect.deleteProperty(window, 'Worker') } }],
  ['whose Worker constructor throws', {
    prepare: window => { window.Worker = function () { throw new Error('No') } as unknown as typeof Worker }
  }],
  ['whose workers do not start', { prepare: window => { window.Worker = brokenWorker(window) } }],
  ['whose policy forbids workers', { policy: 'worker-src \'none\'' }]
]

describe.each(WITHOUT_WORKERS)('a page %s', (_, init) => {
  it('compresses and decompresses on its own thread', async () => {
    const page = await openPage(init)

    for (const name of NAMES) {
      await expectRoundTrip(page, page.codecs[name]())
    }
  })

  it('answers every one of many concurrent calls', async () => {
    const page = await openPage(init)

    await Promise.all([...NAMES, ...NAMES].map(async name => expectRoundTrip(page, page.codecs[name]())))
  })

  it('compresses bytes with transfer: true', async () => {
    const { codecs, own } = await openPage(init)
    const frame = await codecs.zstd().compress(own(TEXT), { transfer: true })

    expect(same(await codecs.zstd().decompress(frame, { size: TEXT.byteLength }), TEXT)).toBe(true)
  })

  it('refuses a damaged frame with CorruptFrameError', async () => {
    const { codecs, own } = await openPage(init)

    for (const name of NAMES) {
      const frame = await codecs[name]().compress(own(TEXT))
      await expect(codecs[name]().decompress(frame.subarray(0, -3), { size: TEXT.byteLength }))
        .rejects.toMatchObject({ name: 'CorruptFrameError', codec: name })
    }
  })
})

describe('a page whose workers do not start', () => {
  it('tries to start a worker three times, and no more', async () => {
    let started = 0
    const page = await openPage({ prepare: window => { window.Worker = brokenWorker(window, () => { started++ }) } })

    for (let i = 0; i < 5; i++) {
      await expectRoundTrip(page, page.codecs.zstd())
    }

    expect(started).toBe(3)
  })
})

describe.each([
  [' and workers', 'script-src \'self\' \'unsafe-inline\''],
  [' but allows workers', 'script-src \'self\' \'unsafe-inline\' blob:; worker-src blob:']
])('a page whose policy forbids WebAssembly%s', (_, policy) => {
  it.each(
    ['gzip', 'lz4', 'lzo', 'snappy'] as const
  )('compresses and decompresses with %s in JavaScript', async name => {
    const page = await openPage({ policy })
    await expectRoundTrip(page, page.codecs[name]())
  })

  it('refuses to compress with zstd, and names the missing wasm implementation', async () => {
    const { codecs } = await openPage({ policy })

    await expect(codecs.zstd().compress(TEXT))
      .rejects.toMatchObject({ name: 'MissingImplementationError', codec: 'zstd', implementation: 'wasm' })
  })

  it('decompresses zstd in JavaScript', async () => {
    const frame = await (await openPage()).codecs.zstd().compress(TEXT)
    const { codecs } = await openPage({ policy })

    expect(same(await codecs.zstd().decompress(frame, { size: TEXT.byteLength }), TEXT)).toBe(true)
  })
})

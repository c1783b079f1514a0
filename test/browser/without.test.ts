import { describe, expect, it } from 'vitest'
import { same } from '../support/data.ts'
import { openPage } from './open-page.ts'
import { expectRoundTrip, NAMES, TEXT } from './round-trip.ts'
import type { PageInit, PageWindow } from './open-page.ts'

/** A Worker whose program never runs: all that comes of it is the event of an error. */
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
  ['that throws where a worker is made', {
    prepare: window => { window.Worker = function () { throw new Error('No') } as unknown as typeof Worker }
  }],
  ['whose workers do not start', { prepare: window => { window.Worker = brokenWorker(window) } }],
  ['whose policy forbids workers', { policy: 'worker-src \'none\'' }]
]

describe.each(WITHOUT_WORKERS)('a page %s', (_, init) => {
  it('compresses and decompresses by itself', async () => {
    const page = await openPage(init)

    for (const name of NAMES) {
      await expectRoundTrip(page, page.codecs[name]())
    }
  })

  it('gets the answers of all calls that were made at one time', async () => {
    const page = await openPage(init)

    await Promise.all([...NAMES, ...NAMES].map(async name => expectRoundTrip(page, page.codecs[name]())))
  })

  it('may give its bytes away', async () => {
    const { codecs, own } = await openPage(init)
    const frame = await codecs.zstd().compress(own(TEXT), { transfer: true })

    expect(same(await codecs.zstd().decompress(frame, { size: TEXT.byteLength }), TEXT)).toBe(true)
  })

  it('refuses a damaged frame by name', async () => {
    const { codecs, own } = await openPage(init)

    for (const name of NAMES) {
      const frame = await codecs[name]().compress(own(TEXT))
      await expect(codecs[name]().decompress(frame.subarray(0, -3), { size: TEXT.byteLength }))
        .rejects.toMatchObject({ name: 'CorruptFrameError', codec: name })
    }
  })
})

describe('a page whose workers do not start', () => {
  it('tries three times and no more', async () => {
    let started = 0
    const page = await openPage({ prepare: window => { window.Worker = brokenWorker(window, () => { started++ }) } })

    for (let i = 0; i < 5; i++) {
      await expectRoundTrip(page, page.codecs.zstd())
    }

    expect(started).toBe(3)
  })
})

describe.each([
  ['', 'script-src \'self\' \'unsafe-inline\''],
  [' and not workers', 'script-src \'self\' \'unsafe-inline\' blob:; worker-src blob:']
])('a page whose policy forbids WebAssembly%s', (_, policy) => {
  it.each(
    ['gzip', 'lz4', 'lzo', 'snappy'] as const
  )('compresses and decompresses with %s in JavaScript', async name => {
    const page = await openPage({ policy })
    await expectRoundTrip(page, page.codecs[name]())
  })

  it('says that the wasm implementation is missing when it is asked to compress with zstd', async () => {
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

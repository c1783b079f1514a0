/** @module-tag long */
import { rm } from 'node:fs/promises'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { BUNDLERS } from '../support/bundles.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { serve } from '../support/serve.ts'
import type { Browser } from 'playwright'

/** The script of the page: compresses and decompresses with a codec, and says which implementation ran. */
const SCRIPT = `
  import { codecs } from '@ipfsz/codecs/all'

  const bytes = new TextEncoder().encode('the same words again and again, '.repeat(100_000))

  window.roundTrip = async name => {
    const codec = codecs[name]()
    const frame = await codec.compress(bytes)
    const back = await codec.decompress(frame, { size: bytes.byteLength })

    return [codec.implementation, frame.byteLength < bytes.byteLength, back.every((byte, i) => byte === bytes[i])]
  }
`

describe.each(Object.entries(BUNDLERS))('a page built by %s without configuration', (_, bundle) => {
  let browser: Browser
  let directory: string

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
    ({ directory } = await bundle(SCRIPT))
  })

  afterAll(async () => {
    await browser?.close()
    await rm(directory, { recursive: true })
  })

  async function open (headers: Record<string, string> = {}): Promise<Awaited<ReturnType<Browser['newPage']>>> {
    const { url, close } = await serve(directory, headers)
    const page = await browser.newPage()

    onTestFinished(async () => {
      await page.close()
      close()
    })

    await page.goto(url)
    await page.waitForFunction('window.roundTrip != null')

    return page
  }

  it.each([
    ['zstd', 'wasm'],
    ['gzip', 'js'],
    ['lz4', 'wasm'],
    ['brotli', 'wasm'],
    ['snappy', 'wasm'],
    ['lzo', 'js']
  ])('compresses and decompresses with %s in workers', async (name, implementation) => {
    const page = await open()

    expect(await page.evaluate(`roundTrip('${name}')`)).toEqual([implementation, true, true])
    expect(page.workers().length).toBeGreaterThan(0)
  })

  it('compresses and decompresses on its own thread if its policy forbids workers', async () => {
    const page = await open({ 'content-security-policy': "worker-src 'none'" })

    expect(await page.evaluate("roundTrip('zstd')")).toEqual(['wasm', true, true])
    expect(page.workers()).toHaveLength(0)
  })
})

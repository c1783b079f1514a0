/** @module-tag long */
/** Stock Helia in a page reads compressed blocks over HTTP, from another origin, under unchanged CIDs. */
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { expectStoredBytes, FILES, startBlockGateway } from '../support/block-gateway.ts'
import { BUNDLERS } from '../support/bundles.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { serve } from '../support/serve.ts'
import type { Browser } from 'playwright'

/** The script of the page: reads files below a CID, and says how long they are, and their hashes. */
const SCRIPT = `
  import { withHTTP } from '@helia/http'
  import { unixfs } from '@helia/unixfs'
  import { createHeliaLight } from 'helia'
  import { CID } from 'multiformats/cid'

  window.readFiles = async (router, root, paths) => {
    const helia = await withHTTP(createHeliaLight(), {
      delegatedRouters: [router],
      recursiveGateways: [],
      allowInsecure: true,
      allowLocal: true
    }).start()
    const results = []

    for (const path of paths) {
      const blob = new Blob(await Array.fromAsync(unixfs(helia).cat(CID.parse(root), { path })))
      const hash = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer())
      results.push([path, blob.size, new Uint8Array(hash).toHex()])
    }

    await helia.stop()

    return results
  }
`

let browser: Browser
let directory: string

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
  ({ directory } = await BUNDLERS.esbuild(SCRIPT))
})

afterAll(async () => {
  await browser?.close()
  await rm(directory, { recursive: true })
})

describe('stock Helia in Chromium', () => {
  it.each([
    ['zstd', 'zstd'],
    ['gzip', 'gzip'],
    ['brotli', 'br']
  ] as const)('reads blocks that are stored with %s', async (codec, encoding) => {
    const gateway = await startBlockGateway(codec)
    const { url, close } = await serve(directory)
    const page = await browser.newPage()

    onTestFinished(async () => {
      await page.close()
      close()
      await gateway.close()
    })

    await page.goto(url)
    await page.waitForFunction('window.readFiles != null')
    const args = [gateway.routerUrl, gateway.root.toString(), Object.keys(FILES)].map(arg => JSON.stringify(arg))
    const read = await page.evaluate(`readFiles(${args.join(', ')})`)

    expect(read).toEqual(
      Object.entries(FILES).map((
        [path, bytes]
      ) => [path, bytes.byteLength, createHash('sha256').update(bytes).digest('hex')])
    )
    await expectStoredBytes(gateway, encoding)
  })
})

/** @module-tag nightly */
/** `@ipfsz/gateway/service-worker` in Firefox. Chromium has its own tests in test/pages. */
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ask, installWorker, registerWorker } from '../pages/in-worker-page.ts'
import { addSite, startTestGateway } from '../pages/worker-gateway.ts'
import { bundleWorker, startSite } from '../pages/worker-page.ts'
import { keptBlocks } from '../support/kept-blocks.ts'
import { startFirefox } from './clients/clients.ts'
import { seekAndPlay } from './clients/in-client.ts'
import { wav } from './clients/media.ts'
import type { CID } from 'multiformats/cid'

const SOUND = wav(20)

let worker: Buffer

beforeAll(async () => {
  ({ worker } = await bundleWorker())
})

describe('a service worker in Firefox', () => {
  it('shows a page, plays sound and seeks in it by ranges, and needs no gateway for it the next time', async () => {
    const blocks = new MemoryBlockstore()
    const root = await addSite(ipfsz({ blockstore: blocks }), {
      'index.html': '<!doctype html><title>Index</title><link rel="stylesheet" href="style.css">' +
        '<script>document.title = "It ran"</script>',
      'style.css': 'body { color: rgb(1, 2, 3) }',
      'tone.wav': SOUND
    })
    const [gateway, site, firefox] = await Promise.all([startTestGateway(blocks), startSite(worker), startFirefox()])

    onTestFinished(async () => {
      await firefox.close()
      await Promise.all([site.close(), gateway.close()])
    })

    const page = await firefox.newPage()
    await page.goto(site.url, { timeout: 0 })
    const init = new URLSearchParams({ gateway: gateway.url, trusted: `${root}` })
    await page.evaluate(registerWorker, `/worker.js?${init}`)

    await page.goto(`${site.url}/ipfs/${root}/`, { timeout: 0 })
    expect(await page.title()).toBe('It ran')
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(1, 2, 3)')

    expect(await page.evaluate(seekAndPlay, { kind: 'audio' as const, url: 'tone.wav' })).toMatchObject({
      duration: 20,
      reached: expect.closeTo(18, 0)
    })
    expect(await page.evaluate(ask, { url: 'tone.wav', headers: { range: 'bytes=1000000-' } })).toMatchObject({
      status: 206,
      length: SOUND.byteLength - 1_000_000
    })

    await expect.poll(async () => (await page.evaluate(keptBlocks)).count).toBeGreaterThanOrEqual(4)
    await gateway.close()
    await page.reload({ timeout: 0 })
    expect(await page.title()).toBe('It ran')
  })

  it('shows a new release of a site when the last page is loaded again, and the old one until then', async () => {
    const blocks = new MemoryBlockstore()
    const fs = ipfsz({ blockstore: blocks })
    const [first, second] = await Promise.all(['First', 'Second'].map(async release => addSite(fs, {
      'index.html': `<!doctype html><title>${release}</title><a href="/sub/" target="_blank">go</a>`,
      'sub/index.html': `<!doctype html><title>${release} below</title>`
    })))
    const [gateway, site, firefox] = await Promise.all([startTestGateway(blocks), startSite(worker), startFirefox()])

    onTestFinished(async () => {
      await firefox.close()
      await Promise.all([site.close(), gateway.close()])
    })

    const page = await firefox.newPage()
    const url = (root: CID): string => `/worker.js?${new URLSearchParams({ gateway: gateway.url, root: `${root}` })}`
    await page.goto(site.url, { timeout: 0 })
    await page.evaluate(registerWorker, url(first))
    await page.goto(`${site.url}/`, { timeout: 0 })
    await page.evaluate(installWorker, url(second))

    await page.click('a')
    await expect.poll(async () => Promise.all((await firefox.pages()).map(async page => page.title().catch(() => ''))))
      .toContain('First below')
    expect(await page.evaluate(ask, { url: '/index.html' })).toMatchObject({ text: expect.stringContaining('First') })

    for (const other of await firefox.pages()) {
      if (other !== page) {
        await other.close()
      }
    }

    // the browser may still count the page that was closed. What is asked while a page is being replaced may fail
    await expect.poll(async () => {
      const title = await page.title().catch(() => '')
      await (title === 'Second' ? undefined : page.evaluate(() => { location.reload() }).catch(() => {}))

      return title
    }, { interval: 1000 }).toBe('Second')
  })
})

/** @module-tag long */
/** `examples/media` in Chromium: compressed sound and video, which the service worker reads in part. */
import { join } from 'node:path'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildPage } from '../../examples/media/build.ts'
import { seekInPlayer } from '../interop/clients/in-client.ts'
import { drawPicture, longWav, webm } from '../interop/clients/media.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { serve } from '../support/serve.ts'
import { addSite, startTestGateway } from './worker-gateway.ts'
import type { CID } from 'multiformats/cid'
import type { Browser, Page } from 'playwright'
import type { TestGateway } from './worker-gateway.ts'

const DIRECTORY = join(import.meta.dirname, '../../dist/example-media')
/** Long enough that a browser does not read all of it ahead. */
const SECONDS = 1200
const PICTURE = { width: 64, height: 48 }

const blocks = new MemoryBlockstore()
const fs = ipfsz({ blockstore: blocks })

let browser: Browser
let site: Awaited<ReturnType<typeof serve>>
let gateway: TestGateway
let root: CID

beforeAll(async () => {
  await buildPage(DIRECTORY)
  browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...CHROMIUM_FLAGS, '--autoplay-policy=no-user-gesture-required']
  })
  site = await serve(DIRECTORY)
  gateway = await startTestGateway(blocks)

  const page = await browser.newPage()
  const webp = Buffer.from(await page.evaluate(drawPicture, PICTURE), 'base64')
  await page.close()
  root = await addSite(fs, {
    'sound.wav': longWav(SECONDS),
    'film.webm': webm({ ...PICTURE, seconds: 20, webp }),
    'broken.mp4': 'no film'
  })
})

afterAll(async () => {
  await browser?.close()
  site?.close()
  await gateway?.close()
})

async function open (address: string): Promise<Page> {
  const context = await browser.newContext()
  onTestFinished(async () => context.close())
  // the machine may be busy
  context.setDefaultTimeout(0)
  const page = await context.newPage()
  await page.goto(`${site.url}?${new URLSearchParams({ address, gateway: gateway.url })}`)

  return page
}

async function alert (page: Page): Promise<string> {
  return page.innerText('[role=alert]')
}

describe('the example for media', () => {
  it('plays sound and seeks in it without fetching the whole file', async () => {
    const page = await open(`${root}/sound.wav`)
    await page.waitForSelector('audio')

    expect(await page.evaluate(seekInPlayer)).toEqual({
      duration: SECONDS,
      reached: expect.closeTo(SECONDS * 0.9, 0)
    })

    const { storedSize } = await fs.stat(root, { path: 'sound.wav' })
    const [, fetched] = /, ([\d.]+) MB fetched/.exec(await page.innerText('#fetched')) ?? []
    expect(Number(fetched)).toBeGreaterThan(0)
    expect(Number(fetched) * 1e6).toBeLessThan(Number(storedSize) * 0.6)
  })

  it('plays video, and seeks in it', async () => {
    const page = await open(`${root}/film.webm`)
    await page.waitForSelector('video')

    expect(await page.evaluate(seekInPlayer)).toEqual({ duration: 20, reached: expect.closeTo(18, 0) })
  })

  it('says what is wrong', async () => {
    expect(await alert(await open(`${root}/broken.mp4`))).toBe('This browser cannot play this file (video/mp4)')
    expect(await alert(await open(`${root}/none`))).toContain('status 404')
    expect(await alert(await open('no CID'))).toContain('status 404')

    const context = await browser.newContext()
    onTestFinished(async () => context.close())
    const page = await context.newPage()
    await page.addInitScript('delete Navigator.prototype.serviceWorker')
    await page.goto(`${site.url}?address=${root}&gateway=${gateway.url}`)
    expect(await alert(page)).toContain('Service workers are not available')
  })
})

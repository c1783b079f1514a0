import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { startDemo } from '../../examples/web-app/demo.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { DEMO_DIRECTORY } from './build-demo.ts'
import type { Demo } from '../../examples/web-app/demo.ts'
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright'

/** A larger file is on the disk, as people's files are: sending 40 MB to Chromium takes seconds. In bytes. */
const MAX_SENT_SIZE = 100_000

export interface OpenInit extends BrowserContextOptions {
  /** Matches the errors that a test expects. */
  expected?: RegExp
  /** The address to open. @default that of the page, with a peer to connect to */
  url?: string
  /** Called before the address is opened. */
  prepare?: (page: Page) => Promise<void>
}

export interface DemoTests {
  demo (): Demo
  /** Open the page in a browser profile of its own, which is closed after the test. */
  open (init?: OpenInit): Promise<DemoPage>
}

/** Start the demo page and its peer once for all tests of a file. */
export function useDemo (): DemoTests {
  let demo: Demo
  let browser: Browser

  beforeAll(async () => {
    demo = await startDemo(DEMO_DIRECTORY)
    // without a UTF-8 locale, Chromium leaves out files whose names are not ASCII
    browser = await chromium.launch({
      executablePath: findChromium(),
      args: CHROMIUM_FLAGS,
      env: { ...process.env, LC_ALL: 'C.UTF-8' }
    })
  })

  afterAll(async () => {
    await browser?.close()
    await demo?.close()
  })

  return {
    demo: () => demo,

    async open ({ expected, url = demo.url, prepare, ...init } = {}) {
      // its service worker stores the whole page, which takes longer than most tests
      const context = await browser.newContext({ acceptDownloads: true, serviceWorkers: 'block', ...init })
      const errors: string[] = []

      // the machine may be busy
      context.setDefaultTimeout(180_000)

      context.on('console', message => { if (message.type() === 'error') { errors.push(message.text()) } })
      context.on('weberror', error => { errors.push(error.error().message) })
      onTestFinished(async () => {
        await context.close()
        // violations of the page's policy are errors too
        expect(errors.filter(error => expected?.test(error) !== true)).toEqual([])
      })

      return openTab(context, url, prepare)
    }
  }
}

/** Open a tab in an existing profile. */
export async function openTab (
  context: BrowserContext,
  url: string,
  prepare?: OpenInit['prepare']
): Promise<DemoPage> {
  const page = await context.newPage()

  await prepare?.(page)
  await page.goto(url)
  await page.waitForSelector('body[data-ready]')

  return new DemoPage(page)
}

export interface TestFile {
  name: string
  bytes: Uint8Array
}

/** The page, used through its controls as people do. */
export class DemoPage {
  readonly page: Page

  constructor (page: Page) {
    this.page = page
  }

  get view (): Locator {
    return this.page.locator('#view')
  }

  get status (): Locator {
    return this.page.locator('#status')
  }

  entry (name: string): Locator {
    return this.page.locator('#entries > li').filter({ has: this.page.getByRole('heading', { name, exact: true }) })
  }

  button (name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true })
  }

  /** Choose a file, and wait until it is stored and shown. */
  async add ({ name, bytes }: TestFile): Promise<void> {
    await this.choose({ name, bytes })
    await this.shows(name)
  }

  async choose ({ name, bytes }: TestFile): Promise<void> {
    const input = this.page.getByLabel('Choose files')

    if (bytes.byteLength <= MAX_SENT_SIZE) {
      await input.setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) })
      return
    }

    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-demo-'))
    onTestFinished(async () => rm(directory, { recursive: true }))
    await writeFile(join(directory, name), bytes)
    await input.setInputFiles(join(directory, name))
  }

  /** Add a sample, and wait until it is stored and shown. */
  async addSample (sample: string, name: string): Promise<void> {
    await this.button(sample).click()
    await this.shows(name)
  }

  /** Wait until the viewer shows a file or folder of this name. */
  async shows (name: string): Promise<void> {
    await this.view.getByRole('heading', { level: 3, name, exact: true }).waitFor()
  }

  async openAddress (address: string): Promise<void> {
    await this.page.getByLabel('CID, or CID/path').fill(address)
    await this.button('Open').click()
  }

  /** The text that the copy button with this label copies. */
  async copied (label: string): Promise<string> {
    return this.view.locator('.copyable', { has: this.page.getByText(label, { exact: true }) }).locator(
      'code'
    ).innerText()
  }

  async download (): Promise<Buffer> {
    const [download] = await Promise.all([this.page.waitForEvent('download'), this.button('Download').click()])
    const chunks: Buffer[] = []

    for await (const chunk of await download.createReadStream()) {
      chunks.push(chunk as Buffer)
    }

    return Buffer.concat(chunks)
  }

  /** Drag over the range bar of the file, between two fractions of its length. */
  async drag (from: number, to: number): Promise<void> {
    const bar = this.view.locator('.range-bar')

    await bar.scrollIntoViewIfNeeded()
    const { x, y, width, height } = await bar.boundingBox() ?? { x: 0, y: 0, width: 0, height: 0 }
    await this.page.mouse.move(x + width * from, y + height / 2)
    await this.page.mouse.down()
    await this.page.mouse.move(x + width * to, y + height / 2, { steps: 4 })
    await this.page.mouse.up()
    await this.view.locator('.part strong').waitFor()
  }

  async connect (address?: string): Promise<void> {
    if (address != null) {
      await this.page.getByLabel('Address of a peer that speaks WebSockets').fill(address)
    }

    await this.button('Connect').click()
    await this.page.locator('.connected').waitFor()
  }
}

/** Writes docs/demo-*.png. Run with `node test/demo/screenshots.ts`, and look at them: no test compares them. */
import { join } from 'node:path'
import { chromium } from 'playwright'
import { startDemo } from '../../examples/web-app/demo.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { DEMO_DIRECTORY, setup } from './build-demo.ts'
import { openTab } from './open-demo.ts'
import type { BrowserContextOptions } from 'playwright'

const DOCS = join(import.meta.dirname, '../../docs')
const DESK = { viewport: { width: 1100, height: 700 } }

const SHOTS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { ...DESK, colorScheme: 'light' },
  dark: { ...DESK, colorScheme: 'dark' },
  phone: {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 1,
    colorScheme: 'light'
  }
}

await setup()

const demo = await startDemo(DEMO_DIRECTORY)
const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS })

for (const [name, options] of Object.entries(SHOTS)) {
  const page = await openTab(await browser.newContext({ reducedMotion: 'reduce', ...options }), demo.url)

  await page.addSample('Picture', 'sunset.png')
  await page.addSample('Folder', 'trip')
  await page.addSample('Table (CSV)', 'weather.csv')
  await page.connect()

  if (name === 'dark') {
    await page.button('Compare codecs').click()
    await page.view.locator('.chart tbody tr').nth(5).waitFor()
  }

  await page.drag(0.52, 0.66)
  await page.status.evaluate(status => { status.textContent = '' })

  // on a desk the whole page; of a phone, one screen
  const isWhole = options.isMobile !== true

  await page.view.locator('.title').first().evaluate((element, isWhole) => {
    element.scrollIntoView()
    scrollBy(0, isWhole ? -document.body.scrollHeight : -16)
  }, isWhole)

  await page.page.screenshot({ path: join(DOCS, `demo-${name}.png`), fullPage: isWhole })
}

await browser.close()
await demo.close()

/** The page of two releases, which counts what a visitor who comes back downloads. */
import { expect, it } from 'vitest'
import { text } from '../support/data.ts'
import { useDemo } from './open-demo.ts'
import type { Page } from 'playwright'

const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }

const { demo, open } = useDemo()

interface Shown {
  changed: string | undefined
  gzip: number
}

async function shown (page: Page): Promise<Shown> {
  await page.waitForSelector('#result table')
  expect(await page.locator('caption').textContent()).toContain('is right')
  const { changed, gzip } = await page.locator('#result').evaluate(({ dataset }) => ({ ...dataset }))

  return { changed, gzip: Number(gzip) }
}

it('shows the numbers on a phone without scrolling sideways', async () => {
  const { page } = await open({ url: new URL('releases.html', demo().url).href, ...PHONE })
  await page.waitForSelector('#result table')

  const { scrollWidth, clientWidth } = await page.locator('#result').evaluate(({ scrollWidth, clientWidth }) => (
    { scrollWidth, clientWidth }
  ))

  expect(scrollWidth).toBe(clientWidth)
})

it('counts what changed of its own script, and of two files that are chosen', async () => {
  const { page } = await open({ url: new URL('releases.html', demo().url).href })
  const { changed, gzip } = await shown(page)
  expect(Number(changed)).toBeGreaterThan(40)
  expect(Number(changed)).toBeLessThan(0.05 * gzip)

  const first = text(60_000)
  const choose = async (label: string, buffer: Buffer): Promise<void> =>
    page.getByLabel(label).setInputFiles({ name: 'app.js', mimeType: 'text/javascript', buffer })
  await choose('First release', Buffer.from(first))
  await page.locator('#result').evaluate(result => { result.replaceChildren() })
  await choose('Next release', Buffer.from(text(60_000, 5)))
  expect((await shown(page)).changed).toBe('')

  await page.locator('#result').evaluate(result => { result.replaceChildren() })
  await choose('Next release', Buffer.concat([first.subarray(0, 30_000), Buffer.from('new'), first.subarray(30_000)]))
  const next = await shown(page)
  expect(Number(next.changed)).toBeLessThan(0.05 * next.gzip)
})

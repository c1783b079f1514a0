/** @module-tag nightly */
import { describe, expect, it } from 'vitest'
import { text } from '../support/data.ts'
import { useDemo } from './open-demo.ts'
import type { DemoPage } from './open-demo.ts'
import type { ElementHandle } from 'playwright'

const TEXT = text(3_000_000)
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }

/** Press Tab until the name of the focused element matches. */
async function tabTo ({ page }: DemoPage, name: RegExp): Promise<void> {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null

      return element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? ''
    })

    if (name.test(focused)) {
      return
    }
  }

  throw new Error(`Tab does not lead to ${name}`)
}

/** The contrast ratio of a text and its background, from 1 to 21 (WCAG 2.2). */
async function contrast (element: ElementHandle<Element> | null): Promise<number> {
  return await element?.evaluate(element => {
    const context = new OffscreenCanvas(1, 1).getContext('2d', {
      willReadFrequently: true
    }) as OffscreenCanvasRenderingContext2D
    const luminance = (colors: string[]): number => {
      colors.forEach(color => {
        context.fillStyle = color
        context.fillRect(0, 0, 1, 1)
      })
      const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map(
        value => value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
      )

      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const behind: string[] = []

    for (let parent: Element | null = element; parent != null; parent = parent.parentElement) {
      behind.unshift(getComputedStyle(parent).backgroundColor)
    }

    const [light, dark] = [luminance(behind), luminance([...behind, getComputedStyle(element).color])].toSorted(
      (a, b) => b - a
    )

    return (light + 0.05) / (dark + 0.05)
  }) ?? 0
}

describe('the demo page', () => {
  const { open } = useDemo()

  it('works by keyboard alone: adds a sample, pins it, shows its blocks, reads a range, deletes it', async () => {
    const page = await open()
    const { keyboard } = page.page

    await tabTo(page, /^Table/)
    await keyboard.press('Enter')
    await page.shows('weather.csv')

    await tabTo(page, /^Pin weather/)
    await keyboard.press('Space')
    await page.entry('weather.csv').getByText('Pinned').waitFor()
    // the list is rendered again, and the focus stays where it was
    await keyboard.press('Space')
    await page.entry('weather.csv').getByText('Pin', { exact: true }).waitFor()

    await tabTo(page, /^Root/)
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowRight')
    await keyboard.press('Enter')
    await page.view.locator('.block h4').getByText('Leaf 2').waitFor()

    await tabTo(page, /^Read up to byte/)
    await keyboard.press('PageUp')
    await page.view.locator('.part strong').waitFor()
    const first = await page.view.locator('.part strong').innerText()
    await keyboard.press('End')
    await expect.poll(async () => page.view.locator('.part strong').innerText()).not.toBe(first)
    expect(await page.page.evaluate("document.activeElement.getAttribute('aria-valuetext')")).toMatch(/MB$/)

    await page.page.getByLabel('CID, or CID/path').focus()
    await keyboard.press('Enter')
    await expect.poll(async () => page.page.evaluate('document.activeElement.textContent')).toBe('weather.csv')

    await page.button('Delete weather.csv').focus()
    await keyboard.press('Enter')
    await expect.poll(async () => page.page.evaluate('document.activeElement.textContent')).toBe('Undo')
    await keyboard.press('Enter')
    await expect.poll(async () => page.page.evaluate("document.activeElement.getAttribute('aria-label')"))
      .toBe('Open weather.csv')
    await page.button('Delete weather.csv').click()
    await page.button('Delete weather.csv for good').focus()
    await keyboard.press('Enter')
    await expect.poll(async () => page.page.evaluate('document.activeElement.textContent')).toBe('Kept in this browser')
  })

  it('keeps the focus in the viewer, on the new heading, when another file replaces the one shown', async () => {
    const page = await open()
    await page.add({ name: 'first', bytes: TEXT.subarray(0, 5000) })
    await page.button('Compare codecs').focus()
    await page.add({ name: 'second', bytes: TEXT.subarray(0, 6000) })

    await expect.poll(async () => page.page.evaluate('document.activeElement.textContent')).toBe('second')
  })

  it('gives every control a name, and skips no heading level', async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: TEXT })
    await page.drag(0.2, 0.4)
    await page.connect()

    const problems = await page.page.evaluate(() => {
      const found: string[] = []

      document.querySelectorAll(
        'button, input, select, textarea, a, summary, section, [role], [tabindex="0"]'
      ).forEach(element => {
        const labelled = element.getAttribute('aria-labelledby')?.split(' ').map(
          id => document.getElementById(id)?.textContent ?? ''
        ).join(' ')
        const labels = [...(element as HTMLInputElement).labels ?? []].map(label => label.textContent).join(' ')
        const name = element.getAttribute('aria-label') ?? labelled ?? (labels === '' ? element.textContent : labels)

        // live regions need no name: screen readers announce their content
        if (!['status', 'alert'].includes(element.getAttribute('role') ?? '') && name.trim() === '') {
          found.push(`no name: ${element.outerHTML.slice(0, 100)}`)
        }
      })
      document.querySelectorAll('img:not([alt])').forEach(image => { found.push(`no alt: ${image.outerHTML}`) })
      document.querySelectorAll('[role=slider], [role=progressbar]').forEach(element => {
        if (!['aria-valuenow', 'aria-valuemin', 'aria-valuemax'].every(name => element.hasAttribute(name))) {
          found.push(`no value: ${element.outerHTML.slice(0, 100)}`)
        }
      })

      const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
      found.push(...ids.filter((id, i) => ids.indexOf(id) !== i).map(id => `twice: ${id}`))

      let level = 0
      document.querySelectorAll('h1, h2, h3, h4').forEach(heading => {
        const next = Number(heading.tagName[1])

        if (next > level + 1) {
          found.push(`${heading.tagName} below h${level}: ${heading.textContent}`)
        }

        level = next
      })

      return found
    })

    expect(problems).toEqual([])
    expect(await page.page.locator('html').getAttribute('lang')).toBe('en')
    expect(await page.page.locator('main').count()).toBe(1)
    expect(await page.page.locator('[aria-live=polite]').count()).toBeGreaterThan(0)
  })

  it('fits a phone without scrolling sideways, with buttons large enough to touch', async () => {
    const page = await open(PHONE)
    const width = async (): Promise<unknown> => page.page.evaluate('document.documentElement.scrollWidth')
    expect(await width()).toBe(PHONE.viewport.width)

    await page.add({
      name: `${'a-long-name-without-any-space'.repeat(6)}.csv`,
      bytes: Buffer.from(`${'column,'.repeat(40)}\n${'value,'.repeat(40)}\n`.repeat(500))
    })
    expect(await width()).toBe(PHONE.viewport.width)
    await page.connect()
    await page.button('Compare codecs').click()
    await page.view.locator('.chart tbody tr').nth(5).waitFor()
    await page.view.locator('.dag [data-kind=root]').click()
    await page.view.locator('.block h4').waitFor()
    expect(await width()).toBe(PHONE.viewport.width)

    const heights = await page.page.locator('main button').evaluateAll(
      buttons => buttons.map(button => button.getBoundingClientRect().height)
    )
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(32)
  })

  it('shows messages on a phone beside what can be tapped, wherever the page is scrolled to', async () => {
    const page = await open(PHONE)
    await page.button('Picture').tap()
    await page.shows('sunset.png')

    for (const name of ['Copy the CID', 'Share']) {
      await page.button(name).first().tap()
      await page.status.getByText(/Copied|blocks copying/).waitFor()
    }

    for (const top of [0, 300, 600, 900, 1200]) {
      const covered = await page.page.evaluate(async top => {
        scrollTo({ top, behavior: 'instant' })
        // the message moves in the frame after that of the scroll
        await new Promise(resolve => {
          requestAnimationFrame(() => { requestAnimationFrame(() => { requestAnimationFrame(resolve) }) })
        })
        const message = document.getElementById('status')?.getBoundingClientRect() ?? new DOMRect()

        return [...document.querySelectorAll('a, button, input, select, label.button')].filter(control => {
          const { top, bottom, left, right, height } = control.getBoundingClientRect()

          return height > 0 && top < message.bottom && bottom > message.top && left < message.right &&
            right > message.left
        }).map(control => control.textContent)
      }, top)

      expect(covered).toEqual([])
    }
  })

  it('scrolls to the result of a sample on a phone', async () => {
    const page = await open(PHONE)
    const title = page.view.getByRole('heading', { name: 'sunset.png' })
    await page.button('Picture').tap()
    await expect.poll(async () => title.evaluate(element => element.getBoundingClientRect().top))
      .toBeLessThan(PHONE.viewport.height / 2)

    expect(await page.view.locator('h4').first().innerText()).toContain('Preview')
  })

  it.each(['light', 'dark'] as const)('has enough contrast in %s mode', async colorScheme => {
    const page = await open({ colorScheme })
    await page.add({ name: 'text', bytes: TEXT })
    await page.addSample('Records (JSON)', 'stations.json')

    for (const selector of ['.json .string', '.json .boolean']) {
      expect(await contrast(await page.page.$(selector)), selector).toBeGreaterThanOrEqual(4.5)
    }

    await page.openAddress('nonsense')
    await page.view.getByRole('alert').waitFor()

    for (
      const selector of [
        'h1',
        'h1 small',
        'header p',
        '#cost',
        'h2',
        'legend',
        '.button.primary',
        '.samples button',
        '.entry .note',
        '.badge',
        '#view .failure',
        '.storage p',
        '#status'
      ]
    ) {
      expect({ selector, contrast: await contrast(await page.page.$(selector)) })
        .toEqual({ selector, contrast: expect.any(Number) })
      expect(await contrast(await page.page.$(selector)), selector).toBeGreaterThanOrEqual(4.5)
    }

    const background = await page.page.evaluate('getComputedStyle(document.body).backgroundColor')
    const [, red] = /(\d+)/.exec(String(background)) ?? []
    expect(Number(red) > 128).toBe(colorScheme === 'light')
  })
})

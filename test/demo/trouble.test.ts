/** @module-tag nightly */
import { describe, expect, it } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { openTab, useDemo } from './open-demo.ts'

const TEXT = text(2_000_000)

/** Runs a script if it is inserted as HTML. */
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

describe('the demo page with failures or hostile input', () => {
  const { open, demo } = useDemo()

  it('says that the storage is full, and keeps earlier files', async () => {
    const page = await open({ expected: /Quota/ })
    const session = await page.page.context().newCDPSession(page.page)
    const { origin } = new URL(demo().url)
    // before anything is stored: Chromium caches the free space for a while
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 6_000_000 })
    await page.add({ name: 'kept', bytes: TEXT })
    await page.choose({ name: 'noise', bytes: noise(12_000_000) })
    await page.page.locator('#jobs').getByRole('alert').waitFor()
    expect(await page.page.locator('#jobs').getByRole('alert').innerText())
      .toContain('The storage of this browser is full')
    expect(await page.page.locator('#entries h3').allInnerTexts()).toEqual(['kept'])

    await page.button('Open kept').click()
    await page.shows('kept')
    expect((await page.download()).equals(TEXT)).toBe(true)

    // nothing is left of the file, and with more space it is added
    await page.button('Remove leftovers').click()
    await page.status.getByText('There are no leftovers').waitFor()
    await session.send('Storage.overrideQuotaForOrigin', { origin })
    await page.button('Dismiss noise').click()
    await page.add({ name: 'noise', bytes: noise(12_000_000) })
  })

  it('keeps finished files, and not an unfinished one, if its tab is closed during an add', async () => {
    const page = await open()
    const context = page.page.context()
    await page.add({ name: 'finished', bytes: TEXT })
    await page.page.getByLabel('Level').fill('19')
    await page.choose({ name: 'unfinished', bytes: longText(16_000_000) })
    // some of its blocks are stored
    await page.page.locator('[role=progressbar][aria-label=Storing]:not([aria-valuenow="0"])').waitFor()
    await page.page.close()

    const again = await openTab(context, demo().url)
    expect(await again.page.locator('#entries h3').allInnerTexts()).toEqual(['finished'])
    await again.button('Open finished').click()
    await again.shows('finished')
    expect((await again.download()).equals(TEXT)).toBe(true)

    await again.button('Remove leftovers').click()
    await again.status.getByText(/Deleted \d+ leftover blocks?/).waitFor()
    await again.button('Open finished').click()
    await again.shows('finished')
    expect((await again.download()).equals(TEXT)).toBe(true)
  })

  it('does not remove the blocks of an add in another tab as leftovers', async () => {
    const page = await open()
    const other = await openTab(page.page.context(), demo().url)
    await other.add({ name: 'small', bytes: TEXT })
    // Chromium renders nothing in a background tab
    await page.page.bringToFront()
    await page.page.getByLabel('Level').fill('19')
    await page.choose({ name: 'slow', bytes: longText(16_000_000) })
    await page.page.locator('[role=progressbar][aria-label=Storing]:not([aria-valuenow="0"])').waitFor()

    await other.button('Remove leftovers').click()
    await other.status.getByText('Something is being added').waitFor()
    await page.shows('slow')
    expect((await page.download()).equals(longText(16_000_000))).toBe(true)
  })

  it('deletes a file during another add, and says that its blocks stay for now', async () => {
    const page = await open()
    await page.add({ name: 'old', bytes: TEXT })
    await page.page.getByLabel('Level').fill('19')
    await page.choose({ name: 'slow', bytes: longText(16_000_000) })
    await page.page.locator('[role=progressbar][aria-label=Storing]:not([aria-valuenow="0"])').waitFor()
    await page.button('Delete old').click()
    await page.button('Delete old for good').click()
    await page.status.getByText('its blocks go with the leftovers').waitFor()
    await page.shows('slow')

    await page.button('Remove leftovers').click()
    await page.status.getByText(/Deleted \d+ leftover blocks?/).waitFor()
    expect((await page.download()).equals(longText(16_000_000))).toBe(true)
  })

  it('says that a file is empty instead of comparing codecs on it', async () => {
    const page = await open()
    await page.add({ name: 'nothing', bytes: new Uint8Array(0) })
    await page.button('Compare codecs').click()
    await page.view.getByText('The file is empty').waitFor()
  })

  it.each(['nonsense', '', 'bafy', '/ipfs/', 'Qm<img>'])('says that %j does not begin with a CID', async address => {
    const page = await open()
    await page.openAddress(address)
    await page.view.getByRole('alert').waitFor()

    expect(await page.view.getByRole('alert').innerText()).toContain('does not begin with a CID')
  })

  it('says that an entry of a path does not exist', async () => {
    const page = await open()
    await page.addSample('Folder', 'trip')
    await page.openAddress(`${await page.copied('CID')}/no/such/file`)
    await page.view.getByRole('alert').waitFor()

    expect(await page.view.getByRole('alert').innerText()).toContain('has no entry named')
  })

  it('shows HTML in names, cells, texts and keys literally', async () => {
    const page = await open()
    await page.add({ name: `${HOSTILE}.csv`, bytes: Buffer.from(`${HOSTILE},b\n${HOSTILE},c\n`) })
    expect(await page.view.getByRole('columnheader').first().innerText()).toContain('<img src=x')

    await page.add({ name: `${HOSTILE}.json`, bytes: Buffer.from(JSON.stringify({ [HOSTILE]: HOSTILE })) })
    await page.add({ name: `${HOSTILE}.txt`, bytes: Buffer.from(HOSTILE) })
    await page.add({ name: `${HOSTILE}.html`, bytes: Buffer.from(HOSTILE) })
    await page.add({
      name: `${HOSTILE}.svg`,
      bytes: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1">${HOSTILE}</svg>`)
    })
    await page.add({
      name: `${HOSTILE}.png`,
      bytes: Buffer.concat([Buffer.from('\x89PNG', 'latin1'), Buffer.from(HOSTILE)])
    })
    await page.openAddress(HOSTILE)
    await page.view.getByRole('alert').waitFor()

    expect(await page.page.evaluate('window.hacked')).toBeUndefined()
    expect(await page.page.locator('main img:not(.image), main script').count()).toBe(0)
    expect(await page.page.locator('#entries h3').allInnerTexts()).toContain(`${HOSTILE}.csv`)
  })

  it('previews JSON that is very deep, very wide, or has very long keys', async () => {
    const page = await open()
    await page.add({ name: 'deep.json', bytes: Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) })
    await page.add({
      name: 'wide.json',
      bytes: Buffer.from(JSON.stringify(Array.from({ length: 100_000 }, (_, i) => i)))
    })

    await page.view.getByText('… 99800 more').waitFor()

    await page.add({
      name: 'keys.json',
      bytes: Buffer.from(JSON.stringify({ ['k'.repeat(1_000_000)]: 'v'.repeat(1_000_000), ['__proto__' as string]: 1 }))
    })
    await page.view.getByText('"vvv').waitFor()
    expect((await page.view.locator('.json').innerText()).length).toBeLessThan(3000)
  })

  it('previews the first 30 columns of a very wide table', async () => {
    const page = await open()
    await page.add({ name: 'wide.csv', bytes: Buffer.from(`${'a,'.repeat(100_000)}"open`) })

    expect(await page.view.getByRole('columnheader').count()).toBe(30)
    await page.view.getByText(/^30 of \d+ columns$/).waitFor()
  })

  it('blocks inline scripts, and requests and pictures from other origins', async () => {
    const page = await open({ expected: /Content Security Policy|Refused|violates/ })
    const blocked = await page.page.evaluate(async () => {
      const violations: string[] = []
      document.addEventListener('securitypolicyviolation', event => { violations.push(event.effectiveDirective) })
      const script = document.createElement('script')
      script.textContent = 'window.hacked = 1'
      document.body.append(script)
      await fetch('https://example.com/').catch(() => {})
      const image = new Image()
      image.src = 'https://example.com/x.png'
      await new Promise(resolve => { image.addEventListener('error', resolve) })

      return { violations: violations.toSorted(), hacked: 'hacked' in window }
    })

    expect(blocked).toEqual({ violations: ['connect-src', 'img-src', 'script-src-elem'], hacked: false })
  })
})

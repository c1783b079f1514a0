/** @module-tag nightly */
/** Releases of a site in Firefox, which knows no compression dictionaries (RFC 9842). test/pages has Chromium. */
import { createHash } from 'node:crypto'
import { createCompressor } from '@ipfsz/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { text } from '../support/data.ts'
import { loadInPage, startVersionedSite } from '../support/versioned-site.ts'
import { startFirefox } from './clients/clients.ts'

const FIRST = Buffer.from(text(400_000))
const SECOND = Buffer.concat([FIRST.subarray(0, 100_000), Buffer.from('changed'), FIRST.subarray(100_000)])
const THIRD = Buffer.concat([SECOND, Buffer.from('changed')])

describe('a visitor with Firefox who comes back after a release', () => {
  it.each([
    ['sends what is stored', {}],
    ['compresses', { compressor: createCompressor({ files: true }) }]
  ])('gets the right bytes, and sends no dictionary, at a gateway that %s', async (_, init) => {
    const [site, firefox] = await Promise.all([startVersionedSite({}, undefined, init), startFirefox()])
    onTestFinished(async () => {
      await firefox.close()
      await site.close()
    })
    const page = await firefox.newPage()
    await page.goto(site.url, { timeout: 0 })
    let base: Parameters<typeof site.publish>[2]

    for (const bytes of [FIRST, SECOND, THIRD]) {
      base = await site.publish('app.js', bytes, base)

      for (let visit = 0; visit < 2; visit++) {
        const { hash } = await page.evaluate(loadInPage, '/app.js')
        expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'))
        expect(site.sent().dictionary).toBe(null)
        expect(site.sent().coding).not.toBe('dcz')
      }
    }
  })
})

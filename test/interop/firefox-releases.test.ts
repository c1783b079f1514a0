/** @module-tag nightly */
/**
 * Releases of a site in Firefox, which has compression dictionaries (RFC 9842) behind a preference, over https only.
 * test/pages has Chromium.
 */
import { createHash } from 'node:crypto'
import { createCompressor } from '@ipfsz/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { text } from '../support/data.ts'
import { loadInPage, startVersionedSite } from '../support/versioned-site.ts'
import { startFirefox } from './clients/clients.ts'
import type { GatewayInit } from '@ipfsz/gateway'
import type { VersionedSite } from '../support/versioned-site.ts'

const FIRST = Buffer.from(text(400_000))
const SECOND = Buffer.concat([FIRST.subarray(0, 100_000), Buffer.from('changed'), FIRST.subarray(100_000)])
const THIRD = Buffer.concat([SECOND, Buffer.from('changed')])
const RELEASES = [FIRST, SECOND, THIRD]

/** No Firefox has it by default yet. */
const WITH_DICTIONARIES = { 'network.http.dictionaries.enable': true }
const HTTPS = { origin: 'https://localhost' }

const compressing = (): GatewayInit => ({ compressor: createCompressor({ files: true, cpuShare: 100 }) })

interface Visit extends Pick<VersionedSite, 'publish' | 'sent'> {
  /** Load a file, and compare what arrives with what it should be. */
  load: (path: string, bytes: Uint8Array) => Promise<void>
}

async function visit (
  { origin, preferences, gateway }: { origin?: string, preferences?: Record<string, boolean>, gateway?: GatewayInit }
): Promise<Visit> {
  const [site, firefox] = await Promise.all([
    startVersionedSite(origin == null ? {} : { origin }, undefined, gateway), startFirefox(preferences)
  ])
  onTestFinished(async () => {
    await firefox.close()
    await site.close()
  })
  const page = await firefox.newPage()
  await page.goto(site.url, { timeout: 0 })

  return {
    ...site,
    async load (path, bytes) {
      const { hash } = await page.evaluate(loadInPage, path)
      expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'))
    }
  }
}

describe('a visitor with Firefox who comes back after a release', () => {
  it.each<[string, Parameters<typeof visit>[0]]>([
    ['as it comes, over https', HTTPS],
    ['as it comes, over https, at a gateway that compresses', { ...HTTPS, gateway: compressing() }],
    ['with dictionaries, but without https', { preferences: WITH_DICTIONARIES }]
  ])('gets the right bytes, and sends no dictionary: %s', async (_, init) => {
    const { publish, sent, load } = await visit(init)
    let base: Parameters<typeof publish>[2]

    for (const bytes of RELEASES) {
      base = await publish('app.js', bytes, base)

      for (let visit = 0; visit < 2; visit++) {
        await load('/app.js', bytes)
        expect(sent().dictionary).toBe(null)
        expect(sent().coding).not.toBe('dcz')
      }
    }
  })

  it('gets each release as a difference, of files whose names change, with dictionaries and https', async () => {
    const names = ['i.3f9a1b2c.js', 'i.3f9a1b2d.js', 'i.3f9a1b2e.js']
    const { publish, sent, load } = await visit({ ...HTTPS, preferences: WITH_DICTIONARIES })
    let base: Parameters<typeof publish>[2]

    for (const [release, bytes] of RELEASES.entries()) {
      base = await publish(names[release], bytes, base)
      await load(`/${names[release]}`, bytes)
      expect(sent().coding === 'dcz').toBe(release > 0)
      // Firefox stores it after the response
      await expect.poll(async () => {
        await load(`/${names[release]}`, bytes)

        return sent().dictionary
      }).toBe(`:${createHash('sha256').update(FIRST).digest('base64')}:`)
    }
  })

  it.each<[string, GatewayInit?]>([
    ['does not compress'], ['compresses, and offers each release as a dictionary', compressing()]
  ])('gets the right bytes, but no difference after the first one, of a file whose name does not change, since ' +
    'Firefox 153 keeps no dictionary of an address after a difference, at a gateway that %s', async (_, gateway) => {
    const { publish, sent, load } = await visit({
      ...HTTPS, preferences: WITH_DICTIONARIES, ...gateway == null ? {} : { gateway }
    })
    const first = await publish('app.js', FIRST)
    await expect.poll(async () => {
      await load('/app.js', FIRST)

      return sent().dictionary
    }).not.toBe(null)
    const second = await publish('app.js', SECOND, first)
    await load('/app.js', SECOND)
    expect(sent().coding).toBe('dcz')
    await publish('app.js', THIRD, second)
    await load('/app.js', THIRD)
    expect(sent()).toEqual({ coding: gateway == null ? null : 'gzip', dictionary: null })
  })
})

/** @module-tag nightly */
/** Sound and video on the demo page, played through its service worker. */
import { describe, expect, it } from 'vitest'
import { formatLink } from '../../examples/web-app/src/ipfs/link.ts'
import { seekInPlayer } from '../interop/clients/in-client.ts'
import { longWav } from '../interop/clients/media.ts'
import { useDemo } from './open-demo.ts'
import type { CID } from 'multiformats/cid'

/** Long enough that a browser does not read all of it ahead. */
const SECONDS = 600

describe('the demo page', () => {
  const { demo, open } = useDemo()

  /** Add sound to the peer, and return the link that opens it. */
  async function share (seconds: number): Promise<{ cid: CID, url: string }> {
    const { peer, url } = demo()
    const cid = await peer.fs.addBytes(longWav(seconds), { compression: { frameSize: 1024 * 1024 } })
    const link = formatLink({ address: { cid, path: '' }, peers: [peer.address], filename: 'long.wav' })

    return { cid, url: new URL(link, url).href }
  }

  it('plays a long file of a peer through its service worker, and seeks in it without loading the whole', async () => {
    const { peer } = demo()
    const { cid, url } = await share(SECONDS)
    const { page } = await open({ url, serviceWorkers: 'allow', expected: /status of 4(?:04|16)/ })

    await page.waitForSelector('audio')
    expect(await page.getAttribute('audio', 'src')).toMatch(/^media\//)
    expect(await page.evaluate(seekInPlayer)).toEqual({
      duration: SECONDS,
      reached: expect.closeTo(SECONDS * 0.9, 0)
    })

    expect(await page.evaluate(askForRanges)).toEqual([
      { status: 206, range: `bytes 1000-1999/${longWav(SECONDS).byteLength}`, length: 1000 },
      { status: 206, range: expect.stringMatching(/^bytes 57599944-57600043\//), length: 100 },
      { status: 416, range: expect.stringMatching(/^bytes \*\//), length: 0 },
      { status: 404, range: null, length: 0 }
    ])

    const { blocks } = await peer.fs.stat(cid, { extended: true })
    expect(await page.evaluate(countBlocks)).toBeLessThan(Number(blocks) * 0.7)
  })

  it('plays from a Blob without a service worker, a long file when it is told to', async () => {
    const seconds = 180
    const { page } = await open({ url: (await share(seconds)).url, serviceWorkers: 'block' })
    await page.getByRole('button', { name: /^Read all 17/ }).click()
    await page.waitForSelector('audio')

    expect(await page.getAttribute('audio', 'src')).toMatch(/^blob:/)
    expect(await page.evaluate(seekInPlayer)).toEqual({
      duration: seconds,
      reached: expect.closeTo(seconds * 0.9, 0)
    })
  })
})

interface Answer {
  status: number
  range: string | null
  length: number
}

/** Ask the service worker for parts of what the player plays, and for something else. */
async function askForRanges (): Promise<Answer[]> {
  const played = document.querySelector('audio')?.src ?? ''
  const asked = [[played, '1000-1999'], [played, '57599944-'], [played, '57600044-'], [`${played}0`, '0-']]

  return Promise.all(asked.map(async ([url, range]) => {
    const { status, headers, body } = await fetch(url, { headers: { range: `bytes=${range}` } })
    const bytes = body == null ? new ArrayBuffer(0) : await new Response(body).arrayBuffer()

    return { status, range: headers.get('content-range'), length: bytes.byteLength }
  }))
}

/** The blocks that the page keeps. */
async function countBlocks (): Promise<number> {
  const opening = indexedDB.open('ipfsz-demo/blocks')
  await new Promise(resolve => { opening.addEventListener('success', resolve) })
  const [name] = opening.result.objectStoreNames
  const counting = opening.result.transaction(name).objectStore(name).count()
  await new Promise(resolve => { counting.addEventListener('success', resolve) })
  opening.result.close()

  return counting.result
}

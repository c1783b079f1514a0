/** @module-tag nightly */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatLink } from '../../examples/web-app/src/ipfs/link.ts'
import { drawPicture, webm } from '../interop/clients/media.ts'
import { serve } from '../support/serve.ts'
import { DEMO_DIRECTORY } from './build-demo.ts'
import { useDemo } from './open-demo.ts'

const SIZE = { width: 64, height: 48 }

describe('the demo on a host of static files', () => {
  const { open, demo } = useDemo()

  it('plays a film that its address names, from a peer, below any path', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-test-'))
    await cp(DEMO_DIRECTORY, join(directory, 'some/where'), { recursive: true })
    // it knows no other addresses than those of its files
    const { url, close } = await serve(directory)

    onTestFinished(async () => {
      close()
      await rm(directory, { recursive: true })
    })

    const drawing = await open()
    const webp = Buffer.from(await drawing.page.evaluate(drawPicture, SIZE), 'base64')
    // marked, though such a film hardly shrinks
    const film = await demo().peer.fs.addBytes(webm({ ...SIZE, seconds: 20, webp }), {
      compression: { codec: 'zstd', detect: false }
    })
    const link = formatLink({ address: { cid: film, path: '' }, peers: [demo().peer.address], filename: 'film.webm' })

    const page = await open({ url: new URL(`some/where/index.html${link}`, url).href })
    await page.shows('film.webm')
    const player = page.view.getByLabel('Play film.webm')
    await expect.poll(async () => player.evaluate(element => (element as HTMLVideoElement).duration)).toBe(20)
    expect(await player.evaluate(element => (element as HTMLVideoElement).videoWidth)).toBe(SIZE.width)
  })
})

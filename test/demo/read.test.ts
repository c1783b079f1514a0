import { readFile } from 'node:fs/promises'
import { ipfsz, unmark } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { drawPicture, webm } from '../interop/clients/media.ts'
import { useDemo } from './open-demo.ts'

const FRAME_SIZE = 1024 * 1024
/** Eight frames, in more than two leaves. */
const TEXT = text(8 * FRAME_SIZE)
/** Two frames. */
const SHORT = TEXT.subarray(0, 2 * FRAME_SIZE)

describe('a file in the demo page', () => {
  const { open, demo } = useDemo()

  it('is still there after a reload', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: SHORT })
    await page.page.reload()
    await page.button('Open text').click()
    await page.shows('text')

    expect((await page.download()).equals(SHORT)).toBe(true)
  })

  it('is still there after a reload without a network, and so is the page', async () => {
    const page = await open({ serviceWorkers: 'allow' })
    await page.add({ name: 'text', bytes: SHORT })
    await page.page.evaluate('navigator.serviceWorker.ready')
    await page.page.context().setOffline(true)
    await page.page.reload()
    await page.page.waitForSelector('body[data-ready]')
    await page.button('Open text').click()
    await page.shows('text')

    expect((await page.download()).equals(SHORT)).toBe(true)
    await page.add({ name: 'more', bytes: TEXT.subarray(0, 300_000) })
  })

  it('is added without a network with every codec, even codecs that were never used before', {
    tags: 'nightly'
  }, async () => {
    const page = await open({ serviceWorkers: 'allow' })
    await page.page.evaluate('navigator.serviceWorker.ready')
    await page.page.context().setOffline(true)
    await page.page.reload()
    await page.page.waitForSelector('body[data-ready]')

    for (const codec of ['auto', 'zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo', 'none']) {
      await page.page.getByLabel('Codec').selectOption(codec)
      await page.add({ name: `${codec}.txt`, bytes: TEXT.subarray(0, 300_000) })
    }

    await page.button('Compare codecs').click()
    await page.view.locator('.chart tbody tr').nth(5).waitFor()
  })

  it('is drawn to scale with all its blocks and frames, and a click shows a block', async () => {
    const blockstore = new MemoryBlockstore()
    const cid = await ipfsz({ blockstore }, { deterministic: true }).addBytes(TEXT, {
      compression: { codec: 'zstd', frameSize: FRAME_SIZE }
    })
    const { Links } = dagPb.decode(Buffer.concat(await Array.fromAsync(blockstore.get(unmark(cid)))))

    const page = await open()
    await page.add({ name: 'text', bytes: TEXT })
    const picture = page.view.locator('.dag')

    expect(await picture.locator('[data-kind=root]').count()).toBe(1)
    expect(await picture.locator('[data-kind=leaf]').count()).toBe(Links.length)
    expect(await picture.locator('[data-kind=frame]').count()).toBe(8)
    // the width of a leaf is proportional to its bytes, apart from the gap between leaves
    const widths = await picture.locator('[data-kind=leaf]').evaluateAll(
      leaves => leaves.map(leaf => leaf.getBoundingClientRect().width + 1)
    )
    const perByte = widths[0] / (Links[0].Tsize ?? 0)
    expect(widths).toEqual(Links.map(({ Tsize = 0 }) => expect.closeTo(Tsize * perByte, 0)))

    // a click shows the block
    await picture.locator('[data-kind=leaf]').last().click()
    await page.view.locator('.block h4').waitFor()
    expect(await page.copied('CID of the block')).toBe(Links.at(-1)?.Hash.toString())
    await picture.locator('[data-kind=root]').click()
    await page.view.locator('.block h4').getByText('Root').waitFor()
    expect(await page.copied('CID of the block')).toBe(unmark(cid).toString())
  })

  it('is read in part from only the blocks that hold the part', async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: TEXT })
    // in the second frame of eight
    await page.drag(0.14, 0.2)
    const picture = page.view.locator('.dag')
    const leaves = await picture.locator('[data-kind=leaf]').count()

    expect(leaves).toBeGreaterThan(2)
    expect(await picture.locator('[data-kind=root].local').count()).toBe(1)
    expect(await picture.locator('[data-kind=leaf].lit').count()).toBe(1)
    expect(await picture.locator('[data-kind=frame].lit').count()).toBe(1)
    expect(await picture.locator('[data-kind=frame].lit').getAttribute('data-index')).toBe('1')
    expect(await page.view.locator('.part strong').innerText()).toContain(`: 2 of ${leaves + 1} blocks`)

    // the text shown begins where the slider says
    const start = Number(
      await page.page.getByRole('slider', { name: 'First byte to read' }).getAttribute('aria-valuenow')
    )
    const shown = await page.view.locator('.part pre').innerText()
    expect(shown.trim().length).toBeGreaterThan(1000)
    expect(Buffer.from(TEXT.subarray(start, start + 4096)).toString().replaceAll(/\s+/g, ' '))
      .toContain(shown.replaceAll(/\s+/g, ' ').trim().slice(0, 1000))
  })

  it('counts only its own blocks for a range, not those of the folders on its path', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.addSample('Folder', 'trip')
    await page.openAddress(`${await page.copied('CID')}/pictures/sunset.png`)
    await page.shows('sunset.png')
    await page.drag(0.2, 0.3)

    expect(await page.view.locator('.part').innerText()).toMatch(/: 1 of 1 blocks, 100 %/)
  })

  it('shows the range chosen last even if an earlier one takes longer', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: longText(20_000_000) })
    // choose the whole file, and before it is read a small range, which is read at once
    await page.page.getByRole('slider', { name: 'Read up to byte' }).press('End')
    await page.drag(0.1, 0.12)
    const shown = async (): Promise<string> => page.view.locator('.part strong').innerText()
    await expect.poll(shown, { timeout: 120_000 }).toContain(' from 2.00 MB on')
    // takes as long as reading the whole file again
    await page.download()

    expect(await shown()).toContain(' from 2.00 MB on')
    expect(await page.view.getByRole('alert').count()).toBe(0)
  })

  it.each([['three', 'кириллица и 漢字'], [
    'four',
    '𝄞🎵🎶🎼'
  ]])('is shown as text even if a range begins inside a character of up to %s bytes', {
    tags: 'nightly'
  }, async (_, word) => {
    const page = await open()
    const bytes = Buffer.from(`${word} `.repeat(50_000))
    await page.add({ name: 'text', bytes })
    const bar = page.page.getByRole('slider', { name: 'First byte to read' })
    await page.drag(0.1, 0.5)

    for (let i = 0; i < 6; i++) {
      const before = await page.view.locator('.part strong').innerText()
      await bar.press('ArrowRight')
      await expect.poll(async () => page.view.locator('.part strong').innerText()).not.toBe(before)
      expect(await page.view.locator('.part pre').innerText()).toContain(word)
    }
  })

  it('stays pinned when it is added again', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: TEXT.subarray(0, 5000) })
    await page.button('Pin text').click()
    await page.entry('text').getByText('Pinned').waitFor()
    await page.add({ name: 'the same', bytes: TEXT.subarray(0, 5000) })

    expect(await page.button('Pin the same').getAttribute('aria-pressed')).toBe('true')
    expect(await page.page.locator('#entries > li').count()).toBe(1)
  })

  it('is downloaded unchanged', async () => {
    const page = await open()
    const bytes = noise(3_000_000)
    await page.add({ name: 'noise.bin', bytes })

    expect((await page.download()).equals(bytes)).toBe(true)
    expect(await page.view.locator('.outcome').innerText()).toMatch(/^Read 3\.00 MB in /)
  })

  it('is previewed as a table, with quoted cells', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'a.csv', bytes: Buffer.from('name,says\nAnn,"well, ""yes"""\nBob,"two\nlines"\n') })

    expect(await page.view.getByRole('columnheader').allInnerTexts()).toEqual(['name', 'says'])
    expect(await page.view.getByRole('cell').allTextContents()).toEqual(['Ann', 'well, "yes"', 'Bob', 'two\nlines'])
  })

  it('is previewed as a table if semicolons separate its cells, even without a .csv name', {
    tags: 'nightly'
  }, async () => {
    const page = await open()
    await page.add({ name: 'german.csv', bytes: Buffer.from('name;says\nAnn;1,5\nBob;2,5\n') })
    expect(await page.view.getByRole('cell').allTextContents()).toEqual(['Ann', '1,5', 'Bob', '2,5'])

    const cid = await page.copied('CID')
    await page.button('Delete german.csv').click()
    await page.status.getByText('Deleted german.csv').waitFor()
    await page.add({ name: 'other', bytes: Buffer.from('name;says\nAnn;1,5\nBob;2,5\n') })
    expect(await page.copied('CID')).toBe(cid)
    expect(await page.view.getByRole('columnheader').allInnerTexts()).toEqual(['name', 'says'])
  })

  it('is previewed as JSON that unfolds', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'a.json', bytes: Buffer.from('{"outer":{"inner":{"deep":[1,"<b>two</b>",null]}}}') })
    await page.view.getByText('inner: {1}').click()
    await page.view.getByText('deep: [3]').click()
    await page.view.getByText('"<b>two</b>"').waitFor()

    expect(await page.view.locator('.json b').count()).toBe(0)
  })

  it('is previewed as a picture', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.addSample('Picture', 'sunset.png')

    const image = page.view.getByAltText('The picture sunset.png')
    await expect.poll(async () => image.evaluate(element => (element as HTMLImageElement).naturalWidth)).toBe(900)
  })

  it('is previewed as text, or in hexadecimal if it is not text', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'story', bytes: Buffer.from('Es war einmal ein Bär. '.repeat(50)) })
    expect(await page.view.locator('pre').last().innerText()).toContain('ein Bär')

    await page.add({ name: 'noise', bytes: noise(5000) })
    expect(await page.view.locator('pre').last().innerText()).toMatch(/^000000 {2}(?:[0-9a-f]{2} ){16}/)
  })

  it.each(['', 'ipfs://', '/ipfs/'])('is found by %sCID/path', { tags: 'nightly' }, async prefix => {
    const page = await open()
    await page.addSample('Folder', 'trip')
    const cid = await page.copied('CID')
    await page.openAddress(`${prefix}${cid}/notes/story.txt`)
    await page.shows('story.txt')

    expect(await page.view.locator('pre').last().innerText()).toMatch(/[a-z ]+\./)
  })

  it('stays pinned after a reload, and cannot be deleted until it is unpinned', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: SHORT })
    await page.button('Pin text').click()
    await page.entry('text').getByText('Pinned').waitFor()
    expect(await page.button('Delete text').isDisabled()).toBe(true)

    await page.page.reload()
    expect(await page.button('Pin text').getAttribute('aria-pressed')).toBe('true')
    await page.button('Pin text').click()
    await page.entry('text').getByText('Pin', { exact: true }).waitFor()
    expect(await page.button('Delete text').isEnabled()).toBe(true)
  })

  it('is deleted with its blocks, except those that another file needs', async () => {
    const page = await open()
    const cids: string[] = []

    // two files that share all leaves but the last
    for (const [name, length] of [['one', 2], ['two', 3]] as const) {
      await page.page.getByLabel('Codec').selectOption('none')
      await page.add({ name, bytes: TEXT.subarray(0, length * FRAME_SIZE) })
      cids.push(await page.copied('CID'))
    }

    await page.button('Delete two').click()
    await page.status.getByText('Deleted two').waitFor()
    expect(await page.entry('two').count()).toBe(0)
    await page.button('Delete two for good').click()
    await page.status.getByText('Deleted two and the 2 blocks that nothing else needs').waitFor()

    await page.openAddress(cids[0])
    await page.shows('one')
    expect((await page.download()).equals(TEXT.subarray(0, 2 * FRAME_SIZE))).toBe(true)

    await page.openAddress(cids[1])
    await page.view.getByRole('alert').waitFor()
    expect(await page.view.getByRole('alert').innerText())
      .toContain('not kept in this browser, and no peer is connected')
  })

  it('comes back unchanged when deleting it is undone, even after a reload', { tags: 'nightly' }, async () => {
    const page = await open()
    const bytes = TEXT.subarray(0, 300_000)
    await page.add({ name: 'text', bytes })
    await page.add({ name: 'other', bytes: TEXT.subarray(0, 5000) })
    await page.button('Delete text').click()
    await page.button('Undo deleting text').waitFor()
    expect(await page.entry('text').count()).toBe(0)

    // this deletes blocks that nothing needs, but none of the deleted file
    await page.button('Delete other').click()
    await page.button('Delete other for good').click()
    await page.status.getByText('that nothing else needs').waitFor()
    await page.page.reload()
    await page.button('Undo deleting text').click()
    await page.button('Open text').click()
    await page.shows('text')
    expect((await page.download()).equals(bytes)).toBe(true)

    // leftovers include what was deleted
    await page.button('Delete text').click()
    await page.button('Undo deleting text').waitFor()
    await page.button('Remove leftovers').click()
    await page.status.getByText(/Deleted \d+ leftover blocks?/).waitFor()
    expect(await page.page.locator('#deleted > li').count()).toBe(0)
  })

  it('is played if it is sound or video, and the player seeks in it', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.addSample('Sound', 'chimes.wav')
    const duration = async (label: string): Promise<number> => page.view.getByLabel(label)
      .evaluate(element => (element as HTMLMediaElement).duration)
    await expect.poll(async () => duration('Play chimes.wav')).toBe(6)

    const size = { width: 64, height: 48 }
    const webp = Buffer.from(await page.page.evaluate(drawPicture, size), 'base64')
    await page.add({ name: 'film', bytes: webm({ ...size, seconds: 20, webp }) })
    await expect.poll(async () => duration('Play film')).toBe(20)
    const time = await page.view.getByLabel('Play film').evaluate(async element => {
      const player = element as HTMLMediaElement
      const sought = new Promise(resolve => { player.addEventListener('seeked', resolve) })
      player.currentTime = 15
      await sought

      return player.currentTime
    })
    expect(time).toBe(15)

    await page.add({ name: 'broken.mp4', bytes: Buffer.from(`\0\0\0\x18ftypisom${'\0'.repeat(100)}`, 'latin1') })
    await page.view.getByRole('alert').getByText('This browser cannot play this file').waitFor()
  })

  it('shows how much storage it takes', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: TEXT })

    expect(await page.page.locator('#storage').innerText()).toMatch(
      /8\.39 MB kept in [\d.]+ MB, \d+ %\. This browser counts [\d.]+ [kM]?B for the page, and allows [\d.]+ GB/
    )
    // only its blocks are stored: IndexedDB would store the whole buffer behind a view
    const { usage } = await page.page.evaluate(async () => navigator.storage.estimate())
    expect(usage).toBeLessThan(TEXT.byteLength)
  })

  it('is in a page that shows its own download size, below 200 kB at the start', async () => {
    const page = await open()
    const { start, codecs: { zstd }, network, all } = await (
      await fetch(new URL('cost.json', demo().url))
    ).json() as { start: number, codecs: { zstd: number }, network: number, all: number }

    await page.page.locator('#cost').getByText(`This page is ${Math.round(start / 1000)} kB`).waitFor()
    expect(start).toBeLessThan(200_000)
    await page.page.locator('#cost').getByText(`${(all / 1e6).toFixed(2)} MB`).waitFor()

    // as its README says, to 3 %
    const readme = await readFile(new URL('../../examples/web-app/README.md', import.meta.url), 'utf8')
    const [, ...said] = /about (\d+) kB to start, (\d+) kB for zstd .*, (\d+) kB for the network .*: ([\d.]+) MB/s
      .exec(readme) ?? []
    const sizes = [start / 1e3, zstd / 1e3, network / 1e3, all / 1e6]
    expect(said.map((size, i) => Math.abs(Number(size) / sizes[i] - 1) < 0.03 || sizes[i]))
      .toEqual(sizes.map(() => true))
  })
})

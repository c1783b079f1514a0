import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ipfsz, unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { useDemo } from './open-demo.ts'
import type { CompressionOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

const FRAME_SIZE = 1024 * 1024
/** Four frames. */
const TEXT = text(3_700_000)

/** The CID that Node gives a file, by default with the default options of the page. */
async function addInNode (
  bytes: Uint8Array,
  compression: CompressionOptions = { codec: 'zstd', frameSize: FRAME_SIZE }
): Promise<CID> {
  return ipfsz({ blockstore: new MemoryBlockstore() }, { deterministic: true }).addBytes(bytes, { compression })
}

describe('the demo page', () => {
  const { open } = useDemo()

  it('adds a sample and shows its stored size in percent of the original', async () => {
    const page = await open()
    await page.addSample('Table (CSV)', 'weather.csv')

    const facts = await page.view.locator('.facts').innerText()
    const [, ratio] = /(\d+) %/.exec(facts) ?? []
    expect(Number(ratio)).toBeGreaterThan(5)
    expect(Number(ratio)).toBeLessThan(40)
    expect(await page.entry('weather.csv').innerText()).toContain(`${ratio} %`)
    expect(await page.status.innerText()).toMatch(/^(?:weather\.csv is stored in|Opened weather\.csv)/)
  })

  it.each([['Records (JSON)', 'stations.json'], ['Text', 'story.txt'], ['Picture', 'sunset.png'], [
    'Folder',
    'trip'
  ]])('generates the sample %s and adds it', { tags: 'nightly' }, async (sample, name) => {
    const page = await open()
    await page.addSample(sample, name)

    expect(await page.entry(name).count()).toBe(1)
  })

  it('compresses in workers', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: TEXT })

    expect(page.page.workers().filter(worker => worker.url().startsWith('blob:')).length).toBeGreaterThan(0)
  })

  it('shows its progress while it compresses, hashes and stores', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.page.evaluate(() => {
      const seen = new Set<string>()
      Object.assign(window, { seen })
      new MutationObserver(() => {
        document.querySelectorAll('[role=progressbar]').forEach(bar => {
          if (Number(bar.getAttribute('aria-valuenow')) > 0) {
            seen.add(bar.getAttribute('aria-label') ?? '')
          }
        })
        seen.add(document.getElementById('status')?.textContent ?? '')
      }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    })
    await page.add({ name: 'long.txt', bytes: longText(8_000_000) })

    const seen = await page.page.evaluate('[...seen]')
    expect(seen).toEqual(
      expect.arrayContaining([
        'Compressing',
        'Hashing',
        'Storing',
        'Adding long.txt',
        expect.stringMatching(/^long\.txt is stored in \d+ % of its size$/)
      ])
    )
    expect(await page.page.locator('#jobs > li').count()).toBe(0)
  })

  it('gives a file the same marked and plain CIDs as Node', async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: TEXT })

    const cid = await addInNode(TEXT)
    expect(await page.copied('CID')).toBe(cid.toString())
    expect(await page.copied('plain CID')).toBe(unmark(cid).toString())
  })

  it('copies a CID to the clipboard', { tags: 'nightly' }, async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.add({ name: 'text', bytes: TEXT })
    await page.button('Copy the plain CID').click()
    await page.status.getByText('Copied the plain CID').waitFor()

    expect(await page.page.evaluate('navigator.clipboard.readText()')).toBe(await page.copied('plain CID'))
  })

  it.each([
    ['gzip', '9', { codec: 'gzip', level: 9 }],
    ['lz4', undefined, { codec: 'lz4' }],
    ['brotli', '5', { codec: 'brotli', level: 5 }],
    ['snappy', undefined, { codec: 'snappy' }],
    ['lzo', undefined, { codec: 'lzo' }],
    ['zstd', '9', { codec: 'zstd', level: 9 }],
    ['auto', undefined, { codec: 'auto' }]
  ] as const)('gives the same CID as Node with codec %s, level %s', {
    tags: 'nightly'
  }, async (codec, level, compression) => {
    const page = await open()
    const bytes = TEXT.subarray(0, 1_500_000)
    await page.page.getByLabel('Codec').selectOption(codec)

    if (level != null) {
      await page.page.getByLabel('Level').fill(level)
    }

    await page.add({ name: 'text', bytes })

    expect(await page.copied('CID')).toBe(
      (await addInNode(bytes, { ...compression, frameSize: FRAME_SIZE })).toString()
    )
  })

  it('stores a file uncompressed with codec none, and if compressing would save nothing', {
    tags: 'nightly'
  }, async () => {
    const page = await open()
    await page.add({ name: 'noise', bytes: noise(300_000) })
    expect(await page.entry('noise').innerText()).toContain('uncompressed')

    await page.page.getByLabel('Codec').selectOption('none')
    await page.add({ name: 'text', bytes: TEXT })
    expect(await page.entry('text').innerText()).toContain('uncompressed')
    expect(await page.page.getByLabel('Level').isDisabled()).toBe(true)
  })

  it('adds an empty file', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'nothing', bytes: new Uint8Array(0) })

    expect(await page.entry('nothing').innerText()).toContain('0 bytes')
  })

  it('adds files dropped anywhere on it, one after the other', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.page.evaluate(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['first '.repeat(1000)], 'first.txt'))
      dataTransfer.items.add(new File(['second '.repeat(1000)], 'second.txt'))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    })
    await page.shows('second.txt')

    expect(await page.page.locator('#entries h3').allInnerTexts()).toEqual(['second.txt', 'first.txt'])
  })

  it('adds a folder with everything below it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-demo-'))
    onTestFinished(async () => { await rm(directory, { recursive: true }) })
    await mkdir(join(directory, 'photos/deep'), { recursive: true })
    await writeFile(join(directory, 'photos/one.txt'), 'one '.repeat(5000))
    await writeFile(join(directory, 'photos/deep/two.txt'), 'two '.repeat(5000))

    const page = await open()
    await page.page.getByLabel('Choose a folder').setInputFiles(join(directory, 'photos'))
    await page.shows('photos')
    await page.button('deep').click()
    await page.button('two.txt').click()
    await page.shows('two.txt')

    expect((await page.download()).toString()).toBe('two '.repeat(5000))
  })

  it('shows the progress of every file of a large folder, unfinished files first', { tags: 'nightly' }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-demo-'))
    onTestFinished(async () => { await rm(directory, { recursive: true }) })
    await mkdir(join(directory, 'many'))
    await Promise.all(
      Array.from(
        { length: 60 },
        async (_, i) =>
          writeFile(join(directory, 'many', `${i + 10}.txt`), TEXT.subarray(i * 60_000, i * 60_000 + 60_000))
      )
    )

    const page = await open()
    await page.page.getByLabel('Level').fill('19')
    await page.page.evaluate(() => {
      const seen = new Set<string>()
      Object.assign(window, { seen })
      new MutationObserver(
        () => { document.querySelectorAll('#jobs .rows bdi').forEach(row => { seen.add(row.textContent) }) }
      ).observe(document.body, { subtree: true, childList: true })
    })
    await page.page.getByLabel('Choose a folder').setInputFiles(join(directory, 'many'))
    await page.shows('many')

    expect(await page.page.evaluate('seen.size')).toBe(60)
  })

  it('cancels an add, and lists no entry for it', async () => {
    const page = await open()
    await page.page.getByLabel('Level').fill('19')
    await page.choose({ name: 'slow', bytes: longText(16_000_000) })
    await page.button('Cancel adding slow').click()
    await page.page.getByRole('alert').getByText('Cancelled').waitFor()

    expect(await page.page.locator('#entries > li').count()).toBe(0)
  })

  it('cancels a queued add at once, and continues with the others', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.page.getByLabel('Level').fill('19')
    await page.choose({ name: 'slow', bytes: longText(8_000_000) })
    await page.choose({ name: 'waiting', bytes: TEXT })
    await page.page.getByLabel('Level').fill('3')
    await page.choose({ name: 'last', bytes: TEXT.subarray(0, 5000) })
    await page.button('Cancel adding waiting').focus()
    await page.page.keyboard.press('Enter')
    await page.page.getByRole('alert').getByText('Cancelled').waitFor()
    expect(await page.button('Cancel adding slow').count()).toBe(1)
    // the focus is on the button that replaced Cancel
    expect(await page.page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Dismiss waiting')
    await page.page.keyboard.press('Enter')
    expect(await page.page.evaluate('document.activeElement.id')).toBe('add')

    await page.shows('last')
    expect(await page.page.locator('#entries h3').allInnerTexts()).toEqual(['last', 'slow'])
  })

  it('compares all codecs on a file', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: TEXT.subarray(0, 1_000_000) })
    await page.button('Compare codecs').click()
    await page.view.locator('.chart tbody tr').nth(5).waitFor()

    const rows = await page.view.locator('.chart tbody tr').allInnerTexts()
    expect(rows.map(row => /^\w+/.exec(row)?.[0])).toEqual(['zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo'])
    expect(rows).toEqual(rows.map(() => expect.stringMatching(/\d+ %\s+\d+ MB\/s\s+\d+ MB\/s/)))
  })
})

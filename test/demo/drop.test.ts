/** @module-tag nightly */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useDemo } from './open-demo.ts'
import type { DemoPage } from './open-demo.ts'

/** Entries of a folder. Chromium reads a hundred at a time. */
const MANY = 230

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-drop-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })

  return directory
}

/** Drag files from the disk over the page and drop them, as the system does. */
async function drop ({ page }: DemoPage, files: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { x, y } = await page.locator('#drop').boundingBox() ?? { x: 0, y: 0 }

  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send(
      'Input.dispatchDragEvent',
      { type, x: x + 20, y: y + 20, data: { items: [], files, dragOperationsMask: 1 } }
    )
  }
}

describe('a drop on the demo page', () => {
  const { open } = useDemo()

  it('adds a folder with everything below it', async () => {
    const directory = await makeDirectory()
    await mkdir(join(directory, 'photos/deep/deeper'), { recursive: true })
    await writeFile(join(directory, 'photos/one.txt'), 'one '.repeat(5000))
    await writeFile(join(directory, 'photos/deep/deeper/two.txt'), 'two '.repeat(5000))

    const page = await open()
    await drop(page, [join(directory, 'photos')])
    await page.shows('photos')
    expect(await page.view.locator('.listing button').allInnerTexts()).toEqual(['deep', 'one.txt'])
    await page.button('deep').click()
    await page.button('deeper').click()
    await page.button('two.txt').click()
    await page.shows('two.txt')

    expect((await page.download()).toString()).toBe('two '.repeat(5000))
  })

  it('adds every entry of a folder that has more than Chromium reads at once', async () => {
    const directory = await makeDirectory()
    await mkdir(join(directory, 'many'))
    await Promise.all(
      Array.from({ length: MANY }, async (_, i) => writeFile(join(directory, 'many', `${i}.txt`), `${i}`))
    )

    const page = await open()
    await drop(page, [join(directory, 'many')])
    await page.shows('many')

    expect(await page.view.locator('.listing button').count()).toBe(MANY)
  })

  it('adds files and folders together, with names of all kinds', async () => {
    const directory = await makeDirectory()
    const names = ['a b.txt', 'übung ☃.txt', '100%.txt', '#1?.txt', '-rf']
    await mkdir(join(directory, 'dir & co'))
    await writeFile(join(directory, 'dir & co', 'x=1;y.txt'), 'inside')
    await Promise.all(names.map(async name => writeFile(join(directory, name), `in ${name}`)))

    const page = await open()
    await drop(page, [...names, 'dir & co'].map(name => join(directory, name)))
    await page.shows('dir & co')
    expect(await page.page.locator('#entries h3').allInnerTexts()).toEqual(['dir & co', ...names.toReversed()])

    await page.button('x=1;y.txt').click()
    await page.shows('x=1;y.txt')
    expect((await page.download()).toString()).toBe('inside')
    await page.button('Open #1?.txt').click()
    await page.shows('#1?.txt')
    expect((await page.download()).toString()).toBe('in #1?.txt')
  })

  it('says that an empty folder has no files', async () => {
    const directory = await makeDirectory()
    await mkdir(join(directory, 'empty'))

    const page = await open()
    await drop(page, [join(directory, 'empty')])
    await page.page.locator('#jobs').getByRole('alert').getByText('This folder has no files').waitFor()
  })
})

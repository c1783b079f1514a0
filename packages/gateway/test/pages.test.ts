import { ipfsz } from '@ipfsz/core'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../src/index.ts'
import { MemoryBudget } from '../src/memory/memory-budget.ts'
import { Pages } from '../src/respond/directory/pages.ts'
import { chunksOf } from '../src/respond/whole-body.ts'
import { get, serve, text } from './fixtures.ts'
import type { MadePage } from '../src/respond/directory/pages.ts'

const MEMORY = new MemoryBudget(1_000_000_000)

/** Pages that are made when the test says so. */
class Maker {
  calls = 0
  signal: AbortSignal | undefined
  readonly #made = Promise.withResolvers<MadePage>()

  make = async (signal: AbortSignal): Promise<MadePage> => {
    this.calls++
    this.signal = signal

    return this.#made.promise
  }

  finish (isFinal = true): void {
    this.#made.resolve({ bytes: text(100), isFinal })
  }

  fail (): void {
    this.#made.reject(new Error('failed'))
  }
}

describe('a page', () => {
  it('is made once for all who ask at the same time, and remembered', async () => {
    const pages = new Pages(new Map())
    const maker = new Maker()
    const asked = Array.from({ length: 10 }, async () => pages.get('a', maker.make, MEMORY, new AbortController()))

    maker.finish()

    for (const { bytes } of await Promise.all(asked)) {
      expect(bytes).toEqual(text(100))
    }

    await pages.get('a', maker.make, MEMORY, new AbortController())
    expect(maker.calls).toBe(1)
    await pages.get('b', maker.make, MEMORY, new AbortController())
    expect(maker.calls).toBe(2)
  })

  it('is made again if it was not final, or failed', async () => {
    const pages = new Pages(new Map())
    const [unfinished, failing] = [new Maker(), new Maker()]
    unfinished.finish(false)
    await pages.get('a', unfinished.make, MEMORY, new AbortController())
    await pages.get('a', unfinished.make, MEMORY, new AbortController())
    expect(unfinished.calls).toBe(2)

    const asked = [1, 2].map(async () => pages.get('b', failing.make, MEMORY, new AbortController()))
    failing.fail()
    for (const page of asked) {
      await expect(page).rejects.toThrow('failed')
    }
    await expect(pages.get('b', failing.make, MEMORY, new AbortController())).rejects.toThrow('failed')
    expect(failing.calls).toBe(2)
  })

  it('is made on for others if one leaves, and not if all leave', async () => {
    const pages = new Pages(new Map())
    const maker = new Maker()
    const [first, second] = [new AbortController(), new AbortController()]
    const asked = [first, second].map(async user => pages.get('a', maker.make, MEMORY, user))

    await expect.poll(() => maker.calls).toBe(1)
    first.abort()
    await expect(asked[0]).rejects.toMatchObject({ name: 'AbortError' })
    expect(maker.signal?.aborted).toBe(false)
    second.abort()
    await expect(asked[1]).rejects.toMatchObject({ name: 'AbortError' })
    expect(maker.signal?.aborted).toBe(true)

    // who asks then gets one that is not aborted
    const next = pages.get('a', maker.make, MEMORY, new AbortController())
    await expect.poll(() => maker.calls).toBe(2)
    expect(maker.signal?.aborted).toBe(false)
    maker.finish()
    expect((await next).bytes).toEqual(text(100))
    await expect(pages.get('b', maker.make, MEMORY, first)).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is sent in pieces', async () => {
    const chunks = await Array.fromAsync(chunksOf(text(200_000), { give: () => {} }))

    expect(chunks.length).toBeGreaterThan(3)
    expect(Buffer.concat(chunks)).toEqual(Buffer.from(text(200_000)))
  })
})

describe('the page of a directory', () => {
  it('is made once for all who ask at the same time, and again while an entry is missing', async () => {
    const { fs: writer, blockstore } = serve()
    const root = await writer.addFile({ path: 'd/a.txt', content: text(10_000) })
    const { plainCid } = await writer.stat(root, { path: 'd/a.txt' })
    // one that does not know the file yet
    const fs = ipfsz({ blockstore })
    const gateway = createGateway({ fs, blocks: blockstore })
    const list = fs.ls.bind(fs)
    let lists = 0
    fs.ls = (...args) => {
      lists++

      return list(...args)
    }
    const ask = async (): Promise<string> => (await gateway(get(`${root}/d/`))).text()
    const block = Buffer.concat(await Array.fromAsync(blockstore.get(plainCid)))
    await blockstore.delete(plainCid)

    const incomplete = await ask()
    expect(lists).toBe(1)
    expect(await ask()).toBe(incomplete)
    expect(lists).toBe(2)

    await blockstore.put(plainCid, block)
    const complete = await Promise.all(Array.from({ length: 10 }, ask))
    expect(lists).toBe(3)
    expect(new Set(complete).size).toBe(1)
    expect(complete[0]).not.toBe(incomplete)
    await ask()
    expect(lists).toBe(3)
  })
})

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it as base } from 'vitest'
import { blockFileReader } from '../src/block-file-reader.ts'

const BYTES = new Uint8Array(200_000).fill(7)

/** What the one of blockstore-fs has, whose class has the same name. */
class FsBlockstore {
  readonly path: string
  readonly shardingStrategy = { encode: (key: string) => ({ dir: '', file: key }) }
  get: (() => void) | undefined

  constructor (path: string) {
    this.path = path
    delete this.get
  }
}

class Other extends FsBlockstore {}

const it = base.extend<{ directory: string }>({
  // oxlint-disable-next-line no-empty-pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'block-files-'))
    await writeFile(join(directory, 'block'), BYTES)
    await use(directory)
    await rm(directory, { recursive: true })
  }
})

describe('blockFileReader', () => {
  it('reads the file of a block in one piece, in memory of its own', async ({ directory }) => {
    const read = blockFileReader<string>(new FsBlockstore(directory))
    const [first, second] = [await read?.('block', {}), await read?.('block', {})]

    expect(first).toHaveLength(BYTES.byteLength)
    expect(Buffer.compare(first ?? Buffer.alloc(0), BYTES)).toBe(0)
    expect(first?.buffer.byteLength).toBe(BYTES.byteLength)
    expect(second?.buffer).not.toBe(first?.buffer)
  })

  it('leaves stores of other classes alone', ({ directory }) => {
    expect(blockFileReader(new Other(directory))).toBeUndefined()
    expect(blockFileReader(Object.create(null) as object)).toBeUndefined()
    expect(blockFileReader({ constructor: FsBlockstore })).toBeUndefined()
  })

  it('leaves a store alone whose get was replaced', async ({ directory }) => {
    const store = new FsBlockstore(directory)
    const read = blockFileReader<string>(store)
    store.get = () => {}

    expect(await read?.('block', {})).toBeUndefined()
  })

  it('leaves to the store what is missing, too large, no file, or aborted', async ({ directory }) => {
    const read = blockFileReader<string>(new FsBlockstore(directory))
    await mkdir(join(directory, 'directory'))

    expect(await read?.('missing', {})).toBeUndefined()
    expect(await read?.('directory', {})).toBeUndefined()
    expect(await read?.('block', { max: BYTES.byteLength - 1 })).toBeUndefined()
    expect(await read?.('block', { signal: AbortSignal.abort() })).toBeUndefined()
    expect(await read?.('block', { max: BYTES.byteLength })).toBeDefined()
  })

  it.skipIf(platform() === 'win32')('does not wait for the writer of a named pipe', async ({ directory }) => {
    execFileSync('mkfifo', [join(directory, 'pipe')])

    expect(await blockFileReader<string>(new FsBlockstore(directory))?.('pipe', {})).toBeUndefined()
  })
})

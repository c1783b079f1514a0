import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSample } from '../src/bench/sample.ts'
import { spread } from '../src/bench/spread.ts'

const KIB = 1024
const MIB = 1024 * KIB

describe('spread', () => {
  it('takes all frames of a small file, the last one shorter', () => {
    expect(
      spread([10], 4, 16)
    ).toEqual([{ file: 0, offset: 0, length: 4 }, { file: 0, offset: 8, length: 2 }, { file: 0, offset: 4, length: 4 }])
  })

  it('takes all frames of several small files, and none of empty ones', () => {
    expect(
      spread([0, 5, 0, 1], 4, 16)
    ).toEqual([{ file: 1, offset: 0, length: 4 }, { file: 3, offset: 0, length: 1 }, { file: 1, offset: 4, length: 1 }])
  })

  it('takes no frames if there are no bytes', () => {
    expect(spread([], 4, 16)).toEqual([])
    expect(spread([0, 0], 4, 16)).toEqual([])
  })

  it('takes frames from all over a large file, and the first of them too', () => {
    expect(spread([1600], 4, 16).map(({ offset }) => offset)).toEqual([0, 800, 400, 1200])
    expect(spread([16], 4, 16).map(({ offset }) => offset)).toEqual([0, 8, 4, 12])
  })

  it('takes frames from all over several files, in proportion to their sizes', () => {
    const found = spread([400, 1200], 4, 16)

    expect(found).toEqual([
      { file: 0, offset: 0, length: 4 },
      { file: 1, offset: 400, length: 4 },
      { file: 1, offset: 0, length: 4 },
      { file: 1, offset: 800, length: 4 }
    ])
  })

  it('skips empty files', () => {
    expect(spread([0, 800, 0, 800, 0], 4, 8))
      .toEqual([{ file: 1, offset: 0, length: 4 }, { file: 3, offset: 0, length: 4 }])
  })

  it('takes frames from many files when they are tiny', () => {
    const found = spread(Array.from({ length: 1000 }, () => 100), 4 * KIB, 16 * KIB)
    const length = found.reduce((sum, { length }) => sum + length, 0)

    expect(length).toBeGreaterThan(15 * KIB)
    expect(length).toBeLessThanOrEqual(16 * KIB)
    expect(new Set(found.map(({ file }) => file)).size).toBe(found.length)
    expect(found.filter(({ file }) => file < 500).length).toBeGreaterThan(found.length * 0.45)
  })

  it.each([
    1,
    7,
    64 * KIB,
    4 * MIB
  ])('takes whole frames of %d bytes, each once, up to the limit, and the same every time', (frameSize) => {
    const sizes = [frameSize * 1000 + 3, 1, 0, frameSize * 50]
    const found = spread(sizes, frameSize, frameSize * 4)

    expect(found).toEqual(spread(sizes, frameSize, frameSize * 4))
    expect(found.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(frameSize * 4)
    expect(found.length).toBeGreaterThanOrEqual(4)
    expect(new Set(found.map(({ file, offset }) => `${file} ${offset}`)).size).toBe(found.length)

    for (const { file, offset, length } of found) {
      expect(offset % frameSize).toBe(0)
      expect(length).toBe(Math.min(frameSize, sizes[file] - offset))
    }
  })
})

describe('readSample', () => {
  const { signal } = new AbortController()
  let directory: string

  beforeEach(async () => { directory = await mkdtemp(join(tmpdir(), 'ipfsz-bench-')) })
  afterEach(async () => { await rm(directory, { recursive: true }) })

  async function write (name: string, bytes: Uint8Array): Promise<string> {
    const path = join(directory, name)
    await writeFile(path, bytes)

    return path
  }

  it('reads the frames of several files, one of them empty', async () => {
    const paths = [
      await write('a', new Uint8Array(100_000).fill(1)),
      await write('b', new Uint8Array(0)),
      await write('c', Uint8Array.of(2, 3))
    ]

    const { size, frames } = await readSample(paths, 64 * KIB, signal)

    expect(size).toBe(100_002)
    expect(frames.map(({ byteLength }) => byteLength)).toEqual([65_536, 2, 34_464])
    expect([...frames[1]]).toEqual([2, 3])
    expect(frames[2].every(byte => byte === 1)).toBe(true)
  })

  it('reads no more than 16 MiB of a large file', async () => {
    const { size, frames } = await readSample([await write('large', new Uint8Array(20 * MIB))], MIB, signal)

    expect(size).toBe(20 * MIB)
    expect(frames.map(({ byteLength }) => byteLength)).toEqual(Array.from({ length: 16 }, () => MIB))
  })

  it('refuses files that are all empty', async () => {
    await expect(readSample([await write('a', new Uint8Array(0)), await write('b', new Uint8Array(0))], MIB, signal))
      .rejects.toMatchObject({ name: 'UsageError' })
  })

  it('refuses a directory with EISDIR', async () => {
    await expect(readSample([directory], MIB, signal)).rejects.toMatchObject({ code: 'EISDIR', path: directory })
  })

  it('refuses a missing file', async () => {
    await expect(readSample([await write('a', new Uint8Array(1)), join(directory, 'b')], MIB, signal))
      .rejects.toMatchObject({ code: 'ENOENT' })
  })

  it.each(['-', '/dev/null'])('refuses %s, which is not a regular file', async (path) => {
    await expect(readSample([path], MIB, signal)).rejects.toMatchObject({ name: 'UsageError' })
  })

  it('ends when it is aborted', async () => {
    await expect(readSample([await write('a', new Uint8Array(1))], MIB, AbortSignal.abort()))
      .rejects.toMatchObject({ name: 'AbortError' })
  })
})

/** @module-tag slow */
/** What processes that share a directory, are killed, or run out of disk leave behind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { CompressedBlockstore, convert, stats } from '@ipfsz/blockstore-compressed'
import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeBlock, makeLargeBlock, openFiles } from './compressed-blockstore-blocks.ts'
import type { FileStore } from './compressed-blockstore-blocks.ts'
import type { CodecName } from '@ipfsz/codecs'

const PROGRAM = join(import.meta.dirname, 'compressed-blockstore-process.ts')

let directory: string

beforeEach(async () => { directory = await mkdtemp(join(tmpdir(), 'ipfsz-test-')) })
afterEach(async () => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

interface Ended {
  code: number | null
  lines: string[]
}

/** Run the program, which dies when it has said so many lines. */
async function runProgram (
  args: readonly string[],
  { killAfter = 0, wrap = [] }: { killAfter?: number, wrap?: readonly string[] } = {}
): Promise<Ended> {
  const [command, ...rest] = [...wrap, process.execPath, PROGRAM, ...args]
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, KILL_AFTER: String(killAfter) }
  })
  const closed = once(child, 'close')
  const lines = await Array.fromAsync(createInterface(child.stdout))
  const [code] = await closed

  return { code, lines }
}

/** Every block is there, and is what it should be. */
async function expectBlocks (numbers: Iterable<number>): Promise<void> {
  const store = new CompressedBlockstore(new SharedFsBlockstore(directory))

  for (const number of numbers) {
    const { cid, bytes } = await makeBlock(number)
    const [block] = await Array.fromAsync<Uint8Array>(store.get(cid))

    expect(Buffer.compare(block, bytes), `block ${number}`).toBe(0)
  }
}

/**
 * The program in a mount namespace of its own, where DIRECTORY/disk is a file system of so
 * many kilobytes. That takes root, or a system on which everybody may have namespaces.
 */
function onSmallDisk (kilobytes: number, line: string): string[] {
  return [
    'unshare', ...process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'], '--mount',
    'sh', '-ec', `mount -t tmpfs -o size=${kilobytes}k none ${directory}/disk; ${line}`, 'sh'
  ]
}

function range (first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i)
}

describe.each<FileStore>(['FsBlockstore', 'SharedFsBlockstore'])('on %s', files => {
  describe('two processes on one directory', () => {
    it('put at the same time what each of them reads, blocks of both among it', async () => {
      // 30 to 34 are put by both
      const ended = await Promise.all([
        runProgram(['put', files, directory, 'zstd', '0', '35']),
        runProgram(['put', files, directory, 'zstd', '30', '35'])
      ])

      expect(ended.map(({ code }) => code)).toEqual([0, 0])
      await expectBlocks(range(0, 65))
      expect((await stats(openFiles(files, directory))).blocks).toBe(65)
    })

    it('may use another codec each', async () => {
      await Promise.all([
        runProgram(['put', files, directory, 'lz4', '0', '30']),
        runProgram(['put', files, directory, 'brotli', '30', '30'])
      ])

      await expectBlocks(range(0, 60))
      expect((await stats(openFiles(files, directory))).codecs)
        .toMatchObject({ lz4: { blocks: 24 }, brotli: { blocks: 24 }, none: { blocks: 12 } })
    })

    it('put and convert at the same time, and nothing is lost', async () => {
      await runProgram(['put', files, directory, 'zstd', '0', '60'])

      const [converted, put] = await Promise.all([
        runProgram(['convert', files, directory, 'gzip']),
        runProgram(['put', files, directory, 'lz4', '60', '60'])
      ])

      expect([converted.code, put.code]).toEqual([0, 0])
      await expectBlocks(range(0, 120))
    })
  })

  describe('a process that is killed', () => {
    it('while it puts blocks leaves all that it said to have put', async () => {
      let first = 0

      for (const killAfter of [1, 3, 8, 13]) {
        const { code, lines } = await runProgram(['put', files, directory, 'zstd', String(first), '200'], { killAfter })

        expect(code).toBeNull()
        expect(lines).toHaveLength(killAfter)
        await expectBlocks(lines.map(Number))
        first += 200
      }

      expect((await stats(openFiles(files, directory))).unreadable).toBe(0)
    })

    it('while it converts leaves every block, again and again, and the next one goes on', async () => {
      const codecs: CodecName[] = ['brotli', 'gzip', 'lz4']
      await runProgram(['put', files, directory, 'zstd', '0', '150'])

      for (const [i, codec] of codecs.entries()) {
        for (const killAfter of [1, 5 + i, 20 + 7 * i]) {
          const { code } = await runProgram(['convert', files, directory, codec], { killAfter })

          expect(code).toBeNull()
          await expectBlocks(range(0, 150))
        }

        const left = 120 - ((await stats(openFiles(files, directory))).codecs[codec]?.blocks ?? 0)
        const report = await convert(openFiles(files, directory), { codec })

        expect(report).toMatchObject({ blocks: 150, converted: left, unchanged: 150 - left, unreadable: 0 })
        expect(left).toBeLessThan(120)
        await expectBlocks(range(0, 150))
      }
    })
  })

  describe('two processes of which both are killed', () => {
    it('one that puts and one that converts, leave every block that was there or was said to be put', async () => {
      await runProgram(['put', files, directory, 'zstd', '0', '100'])
      const put: number[] = []

      for (const [round, codec] of (['gzip', 'lz4', 'none'] as const).entries()) {
        const first = 100 + round * 200
        const [converted, { code, lines }] = await Promise.all([
          runProgram(['convert', files, directory, codec], { killAfter: 10 + 7 * round }),
          runProgram(['put', files, directory, 'zstd', String(first), '200'], { killAfter: 5 + 3 * round })
        ])

        expect([converted.code, code]).toEqual([null, null])
        put.push(...lines.map(Number))
        await expectBlocks([...range(0, 100), ...put])
      }

      expect(put).toHaveLength(5 + 8 + 11)
      expect((await stats(openFiles(files, directory))).unreadable).toBe(0)
      expect(await convert(openFiles(files, directory), { codec: 'zstd' })).toMatchObject({ unreadable: 0 })
      await expectBlocks([...range(0, 100), ...put])
    })
  })

  describe('a disk that is full', () => {
    it('refuses blocks with the error of the store, and has all that were put before', async () => {
      await mkdir(join(directory, 'disk'))

      // what lies there is gone with the process, so another one looks at it before
      const { lines } = await runProgram(['put', files, join(directory, 'disk'), 'zstd', '0', '500'], {
        wrap: onSmallDisk(2000, `"$@" || true; mkdir -p ${directory}/seen; cp -r ${directory}/disk/. ${directory}/seen`)
      })
      const put = lines.slice(0, -1)
      directory = join(directory, 'seen')

      expect(lines.at(-1)).toMatch(/^PutFailedError: .*ENOSPC/)
      expect(put.length).toBeGreaterThan(20)
      await expectBlocks(put.map(Number))
      directory = join(directory, '..')
    })

    it('ends a conversion with the error of the store, and every block is there', async () => {
      await mkdir(join(directory, 'disk'))
      await runProgram(['put', files, join(directory, 'full'), 'zstd', '0', '60'])
      const { storedSize } = await stats(openFiles(files, join(directory, 'full')))

      const { lines } = await runProgram(['convert', files, join(directory, 'disk'), 'none'], {
        wrap: onSmallDisk(
          Math.round(storedSize / 1000 * 1.4),
          `cp -r ${directory}/full/. ${directory}/disk; "$@" || true; ` +
            `mkdir -p ${directory}/seen; cp -r ${directory}/disk/. ${directory}/seen`
        )
      })

      expect(lines.at(-1)).toMatch(/^PutFailedError: .*ENOSPC/)
      expect(lines).toContain('converted')
      directory = join(directory, 'seen')
      await expectBlocks(range(0, 60))
      directory = join(directory, '..')
    })
  })
})

/** When the others of these two are done, in milliseconds from the start of a put of a large block. */
const MOMENTS = Array.from({ length: 24 }, (_, i) => ({ begin: i % 6 * 2, kill: 1 + Math.floor(i / 6) * 3 }))

describe('two processes on one SharedFsBlockstore', () => {
  it('put the same large block, and when one is killed the other has it whole', async () => {
    const { cid, bytes } = await makeLargeBlock()
    const store = new CompressedBlockstore(new SharedFsBlockstore(directory), { codec: 'none' })

    for (const { begin, kill } of MOMENTS) {
      const other = spawn(
        process.execPath,
        [PROGRAM, 'put-large', 'SharedFsBlockstore', directory, 'none'],
        { stdio: ['pipe', 'pipe', 'inherit'] }
      )
      const closed = once(other, 'close')
      await once(other.stdout, 'data')

      const putting = store.put(cid, bytes)
      await setTimeout(begin)
      other.stdin.write('put')
      await setTimeout(kill)
      other.kill('SIGKILL')
      await Promise.all([putting, closed])

      const [block] = await Array.fromAsync<Uint8Array>(store.get(cid))
      expect(Buffer.compare(block, bytes)).toBe(0)
      await store.delete(cid)
    }
  })
})

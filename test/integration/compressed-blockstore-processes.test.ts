/** @module-tag slow */
/** What processes leave behind when they share a directory, are killed, or fill the disk. */
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

/** Run the program, which kills itself after it printed `killAfter` lines, if that is not 0. */
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

/** Expect the store to have every block, with the right bytes. */
async function expectBlocks (numbers: Iterable<number>): Promise<void> {
  const store = new CompressedBlockstore(new SharedFsBlockstore(directory))

  for (const number of numbers) {
    const { cid, bytes } = await makeBlock(number)
    const [block] = await Array.fromAsync<Uint8Array>(store.get(cid))

    expect(Buffer.compare(block, bytes), `block ${number}`).toBe(0)
  }
}

/**
 * A command that runs the program in its own mount namespace, where DIRECTORY/disk is a
 * file system of this size. Needs root, or a system that allows user namespaces.
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

describe('on SharedFsBlockstore', () => { testProcesses('SharedFsBlockstore') })
describe('on FsBlockstore', { tags: 'nightly' }, () => { testProcesses('FsBlockstore') })

function testProcesses (files: FileStore): void {
  describe('two processes on one directory', () => {
    it('put blocks at the same time, some of them the same, and lose none', async () => {
      // 30 to 34 are put by both
      const ended = await Promise.all([
        runProgram(['put', files, directory, 'zstd', '0', '35']),
        runProgram(['put', files, directory, 'zstd', '30', '35'])
      ])

      expect(ended.map(({ code }) => code)).toEqual([0, 0])
      await expectBlocks(range(0, 65))
      expect((await stats(openFiles(files, directory))).blocks).toBe(65)
    })

    it('may use different codecs', async () => {
      await Promise.all([
        runProgram(['put', files, directory, 'lz4', '0', '30']),
        runProgram(['put', files, directory, 'brotli', '30', '30'])
      ])

      await expectBlocks(range(0, 60))
      expect((await stats(openFiles(files, directory))).codecs)
        .toMatchObject({ lz4: { blocks: 24 }, brotli: { blocks: 24 }, none: { blocks: 12 } })
    })

    it('put and convert at the same time and lose nothing', async () => {
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
    it('while it puts blocks leaves every block that it reported as put', async () => {
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

    it('while it converts leaves every block, and the next conversion continues', async () => {
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

  describe('two killed processes', () => {
    it('leave every earlier block, and every block reported as put, if one puts and one converts', async () => {
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

  describe('a full disk', () => {
    it('refuses a put with the error of the store and keeps all earlier blocks', async () => {
      await mkdir(join(directory, 'disk'))

      // the file system ends with the process, so its files are copied first
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

    it('ends a conversion with the error of the store and keeps every block', async () => {
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
}

/** Milliseconds from one process's put to the other's, and from then until the other is killed. */
const MOMENTS = Array.from({ length: 24 }, (_, i) => ({ begin: i % 6 * 2, kill: 1 + Math.floor(i / 6) * 3 }))

describe('two processes on one SharedFsBlockstore', () => {
  it('put the same large block, which stays whole when one of them is killed', async () => {
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

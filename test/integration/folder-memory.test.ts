/** @module-tag nightly */
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { expectSuccess, it } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

const MIB = 1024 * 1024
const FILES = 512
const SIZE = MIB
/** Twice what is needed at most, and less than the bytes of the files. */
const MAX_MEMORY = 400 * MIB

/**
 * A folder of files that differ in each 256 KiB, without bytes to make: the rest of them are holes. What would keep the
 * files in memory would keep the zeros.
 */
async function makeHoles (directory: string): Promise<void> {
  await mkdir(directory)

  for (let i = 0; i < FILES; i++) {
    const file = await open(join(directory, `${i}.bin`), 'wx')

    for (let at = 0; at < SIZE; at += SIZE / 4) {
      await file.write(`${i} ${at}`, at)
    }

    await file.truncate(SIZE)
    await file.close()
  }
}

/** Run a command, and return what it printed and its peak memory, in bytes. */
async function measure (sandbox: Sandbox, ...args: string[]): Promise<{ printed: string, peak: number }> {
  const path = join(sandbox.directory, 'peak')
  const result = await sandbox.spawn(args, { preload: 'max-rss.ts', env: { MAX_RSS_FILE: path } })
  expectSuccess(result)

  return { printed: result.stdout.toString().trim(), peak: 1024 * Number(await readFile(path, 'utf8')) }
}

describe('the memory of a folder with more bytes than it may take', () => {
  it('is bounded by add, verify and get', async ({ sandbox }) => {
    await makeHoles(join(sandbox.directory, 'in'))

    // compressed, the zeros would take nothing to keep
    const added = await measure(sandbox, 'add', '-Q', '--codec', 'none', 'in')
    const verified = await measure(sandbox, 'verify', '--all')
    const written = await measure(sandbox, 'get', added.printed, '-o', 'out')

    for (const { peak } of [added, verified, written]) {
      expect(peak).toBeLessThan(MAX_MEMORY)
    }
  })
})

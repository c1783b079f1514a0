/** @module-tag nightly */
/**
 * Power cuts on a real file system: ext4 in an image, which is copied while it is in
 * use and mounted again. Needs root and a loop device, or is skipped; power-cut.test.ts
 * simulates the disk instead.
 */
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

/** Large enough for the journal of ext4. */
const IMAGE_SIZE = 64 * 1024 * 1024

/** Why no image can be mounted, if none can. */
const missing = await findMissing()

if (missing != null) {
  process.stderr.write(`No loss of power on a real file system is tested: ${missing}\n`)
}

describe.skipIf(missing != null)('an ext4 file system after a power cut', () => {
  it('has everything that add, car import, link and convert printed', async ({ sandbox }) => {
    const image = join(sandbox.directory, 'image')
    await format(image)
    const big = await sandbox.write('big', text(3_000_000))
    const tree = join(sandbox.directory, 'tree')
    await mkdir(tree)
    await Promise.all(Array.from({ length: 50 }, async (_, i) => writeFile(join(tree, `${i}.txt`), text(2000, i + 1))))
    const shared = await sandbox.add(text(50_000, 99))
    expectSuccess(await sandbox.run(['car', 'export', '-o', 'shared.car', shared]))

    const told: string[] = []
    const steps = [['add', '--link', big], ['add', tree], ['car', 'import', 'shared.car'], [
      'blockstore',
      'convert',
      '--layout',
      'files'
    ]]
    const disk = join(sandbox.directory, 'disk')
    await mount(image, disk)

    try {
      for (const [i, step] of steps.entries()) {
        const { stdout, ...result } = await sandbox.spawn(['--json', '--repo', join(disk, 'repo'), ...step])
        // at once, so that the copy lacks what the system has not written yet
        await copyFile(image, `${image}-${i}`)
        expectSuccess({ stdout, ...result, stderr: '' })
        told.push(...parseLines(stdout).flatMap(({ cid }) => cid == null ? [] : [String(cid)]))

        await expectKept(sandbox, `${image}-${i}`, told)
      }
    } finally {
      execFileSync('umount', [disk])
    }
  })
})

async function expectKept (sandbox: Sandbox, image: string, cids: readonly string[]): Promise<void> {
  const disk = `${image}-disk`
  await mount(image, disk)

  try {
    const run = async (...args: string[]): Promise<void> => {
      const { code, stderr } = await sandbox.spawn(['--repo', join(disk, 'repo'), ...args])
      expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
    }
    const { stdout } = await sandbox.run(['--repo', join(disk, 'repo'), 'link', 'ls'])

    expect(stdout.toString()).toContain(cids[0])
    await run('verify', ...cids)
    await run('gc')
    await run('verify', ...cids)
  } finally {
    execFileSync('umount', [disk])
  }
}

async function format (image: string): Promise<void> {
  await writeFile(image, '')
  execFileSync('truncate', ['-s', String(IMAGE_SIZE), image])
  execFileSync('mkfs.ext4', ['-q', image], { stdio: 'ignore' })
}

async function mount (image: string, directory: string): Promise<void> {
  await mkdir(directory)
  // the journal is not committed every 5 s, as it is by default
  execFileSync('mount', ['-o', 'loop,commit=300', image, directory], { stdio: 'pipe' })
}

async function findMissing (): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-loop-'))

  try {
    const image = join(directory, 'image')
    await format(image)
    await mount(image, join(directory, 'disk'))
    execFileSync('umount', [join(directory, 'disk')])

    return undefined
  } catch (err) {
    return (err as Error).message.split('\n')[0]
  } finally {
    await rm(directory, { recursive: true })
  }
}

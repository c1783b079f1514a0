/** @module-tag slow */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectIntact, feed, waitForFiles } from './repo.ts'
import { expectSuccess, finish, it } from './run-cli.ts'

describe('ipfsz gc while files are added', () => {
  it('loses no block of a file that is added and unpinned in a loop', async ({ sandbox }) => {
    const bytes = noise(3_000_000)
    await sandbox.add(text(1000))
    const adding = new AbortController()
    let collected = 0

    const collecting = (async () => {
      while (!adding.signal.aborted) {
        const result = await sandbox.spawn(['gc', '--force'])
        expectSuccess(result)
        collected++
      }
    })()

    const rounds = async (): Promise<void> => {
      for (let round = 0; round < 8; round++) {
        await addAndUnpin()
      }
    }
    const addAndUnpin = async (): Promise<void> => {
      // unpinned blocks of the previous round may still be in the repo
      const cid = await sandbox.add(bytes)
      const [back, good] = await Promise.all([sandbox.spawn(['cat', cid]), sandbox.run(['verify', cid])])

      expectSuccess(back)
      expectSuccess(good)
      expect(back.stdout.equals(bytes)).toBe(true)
      expectSuccess(await sandbox.spawn(['pin', 'rm', cid]))
    }

    await Promise.all([rounds().finally(() => { adding.abort() }), collecting])
    expect(collected).toBeGreaterThan(0)
    await expectIntact(sandbox.repo)
    expect(await readdir(join(sandbox.repo, 'locks'))).toEqual([])
  })

  it('waits for a running add and keeps all its blocks', async ({ sandbox }) => {
    const child = sandbox.start(['add', '-Q', '-'])
    const chunks: Uint8Array[] = []
    const pause = Promise.withResolvers<void>()
    const added = finish(child, (async function * () {
      for await (const chunk of feed(12)) {
        if (chunks.length === 10) {
          await pause.promise
        }

        chunks.push(chunk)
        yield chunk
      }
    })())

    await waitForFiles(join(sandbox.repo, 'locks'), 1)
    const collected = sandbox.spawn(['gc', '--force'])
    await waitForFiles(join(sandbox.repo, 'locks'), 2)
    pause.resolve()

    const result = await added
    expectSuccess(result)
    expectSuccess(await collected)
    expect((await sandbox.spawn(['cat', result.stdout.toString().trim()])).stdout.equals(Buffer.concat(chunks)))
      .toBe(true)
  })

  it('ignores and removes locks of killed processes', async ({ sandbox }) => {
    const child = sandbox.start(['add', '-'])
    const result = finish(child, feed(0, { stall: true }))
    await waitForFiles(join(sandbox.repo, 'locks'), 1)
    child.kill('SIGKILL')
    await result
    const [lock] = await readdir(join(sandbox.repo, 'locks'))
    await writeFile(join(sandbox.repo, 'locks', lock.replace('add-', 'gc-')), '')

    await sandbox.add(text(1000))
    expectSuccess(await sandbox.spawn(['gc']))

    expect(await readdir(join(sandbox.repo, 'locks'))).toEqual([])
  })
})

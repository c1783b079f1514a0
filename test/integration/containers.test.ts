/** @module-tag slow */
/** Processes that share files but do not see each other, like the containers of a pod. */
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { holdInContainer, startInContainer } from './container.ts'
import { waitForLock } from './locks.ts'
import { feed, waitForBlocks, waitForFiles } from './repo.ts'
import { expectFailure, expectSuccess, finish, it, parseLines } from './run-cli.ts'
import { listBlocks } from '../support/stored-blocks.ts'
import type { Process, Sandbox } from './run-cli.ts'

/** Host names: containers of a pod share one, Docker gives each its own. */
const HOSTS = ['a', 'b']

async function startDaemon (host: string, sandbox: Sandbox): Promise<Process> {
  const child = startInContainer(host, sandbox, ['daemon', '--listen', '/ip4/127.0.0.1/tcp/0'])
  let said = ''

  for await (const bytes of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    said += bytes.toString()

    if (said.includes('ready')) {
      return child
    }
  }

  throw new Error(`The daemon ended: ${(child.stderr.read() as Buffer | null)?.toString()}`)
}

describe.runIf(process.platform === 'linux').each(
  HOSTS
)('a repo shared by containers with the host names a and %s', host => {
  it('makes gc wait for an add in the other container and keeps its blocks', async ({ sandbox }) => {
    const chunks: Uint8Array[] = []
    const pause = Promise.withResolvers<void>()
    const added = finish(startInContainer('a', sandbox, ['add', '-Q', '-']), (async function * () {
      for await (const chunk of feed(12)) {
        if (chunks.length === 10) {
          await pause.promise
        }

        chunks.push(chunk)
        yield chunk
      }
    })())
    await waitForBlocks(sandbox.repo, 2)

    // a try without waiting is refused, the command waits
    expect((await finish(holdInContainer(host, sandbox, 'gc'))).stdout.toString()).toBe('RepoLockedError\n')
    const collected = finish(startInContainer(host, sandbox, ['gc', '--force']))
    await Promise.race([waitForFiles(join(sandbox.repo, 'locks'), 2), collected])
    pause.resolve()

    const result = await added
    expectSuccess(result)
    // it may say for whom it waits
    expect(await collected).toMatchObject({ code: 0, signal: null })
    const back = await sandbox.spawn(['cat', result.stdout.toString().trim()])
    expectSuccess(back)
    expect(back.stdout.equals(Buffer.concat(chunks))).toBe(true)
  })

  it('makes add wait while the other container collects garbage', async ({ sandbox }) => {
    await mkdir(join(sandbox.repo, 'locks'), { recursive: true })
    const collecting = holdInContainer('a', sandbox, 'gc')
    await once(collecting.stdout, 'data')

    // a try without waiting is refused, the command waits
    expect((await finish(holdInContainer(host, sandbox, 'add'))).stdout.toString()).toBe('RepoLockedError\n')
    const added = finish(startInContainer(host, sandbox, ['add', '-Q', '-']), text(100_000))
    await waitForLock(sandbox, 'add', added)
    expect(await listBlocks(sandbox.repo)).toEqual([])
    collecting.stdin.end()

    expectSuccess(await added)
    expect(await listBlocks(sandbox.repo)).not.toEqual([])
  })

  it.for(
    ['add', 'gc'] as const
  )('is not blocked by the %s lock of a killed process in the other container', async (kind, { sandbox }) => {
    const holding = holdInContainer('a', sandbox, kind)
    await once(holding.stdout, 'data')
    holding.kill('SIGKILL')
    await once(holding, 'close')

    expectSuccess(await finish(startInContainer(host, sandbox, ['add', '-Q', '-']), text(1000)))
    expectSuccess(await finish(startInContainer(host, sandbox, ['gc'])))
  })

  it('has one daemon, and allows another once that is killed', async ({ sandbox }) => {
    const first = await startDaemon('a', sandbox)
    const isRunning = async (unshared: string[]): Promise<unknown> =>
      parseLines((await finish(startInContainer(host, sandbox, ['id', '--json'], unshared))).stdout)[0].running

    // the daemon's port is on 127.0.0.1, so another network namespace cannot reach it
    expect([await isRunning([]), await isRunning(['--net'])]).toEqual([true, false])

    const refused = await finish(startInContainer(host, sandbox, ['daemon', '--listen', '/ip4/127.0.0.1/tcp/0']))
    expectFailure(refused, 1)
    expect(refused.stderr).toContain(join(sandbox.repo, 'locks', 'daemon-'))

    first.kill('SIGKILL')
    await once(first, 'close')
    const second = await startDaemon(host, sandbox)
    second.kill('SIGKILL')
  })
})

import { describe, expect } from 'vitest'
import { lockRepo } from '../../packages/node/dist/repo/repo-lock.js'
import { text } from '../support/data.ts'
import { waitForLock } from './locks.ts'
import { expectSuccess, it } from './run-cli.ts'

describe('ipfsz pin rm', () => {
  it('waits until gc has ended', async ({ sandbox }) => {
    const cid = await sandbox.add(text(1000))
    const release = await lockRepo(sandbox.repo, 'gc', new AbortController().signal)

    const removed = sandbox.run(['pin', 'rm', cid])
    await waitForLock(sandbox, 'add', removed)
    expect((await sandbox.run(['pin', 'ls'])).stdout.toString()).toContain(cid)
    await release()

    expectSuccess(await removed)
    expect((await sandbox.run(['pin', 'ls'])).stdout.toString()).toBe('')
  })
})

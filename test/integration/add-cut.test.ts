import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

const FIRST = text(2_000_000)
const SECOND = Buffer.concat([FIRST.subarray(0, 700_000), text(1001, 2), FIRST.subarray(700_000)])

async function storedSize ({ run }: Sandbox): Promise<number> {
  const [all] = (await run(['stats', '--json'])).stdout.toString().split('\n')

  return JSON.parse(all).storedSize
}

describe.concurrent('ipfsz add --cut', () => {
  it('stores what two files have in common once', async ({ sandbox }) => {
    const first = await sandbox.add(FIRST, '--cut', 'content')
    const before = await storedSize(sandbox)
    const second = await sandbox.add(SECOND, '--cut', 'content')
    const after = await storedSize(sandbox)

    expect(after - before).toBeLessThan(before / 3)
    expect((await sandbox.run(['cat', second])).stdout.equals(SECOND)).toBe(true)
    expect((await sandbox.run(['cat', '--offset', '900000', '--length', '10', first])).stdout)
      .toEqual(Buffer.from(FIRST.subarray(900_000, 900_010)))
    expectSuccess(await sandbox.run(['verify', second]))
    expect((await sandbox.run(['stat', second])).stdout.toString()).toMatch(/Frames\t1\d\t262144/)
  })

  it('makes the same CID as without it, of a file of one frame', async ({ sandbox }) => {
    const bytes = FIRST.subarray(0, 50_000)
    const cid = await sandbox.add(bytes, '--cut', 'content')

    expect(cid).toBe(await sandbox.add(bytes, '--frame-size', '256KiB'))
  })

  it('refuses options that decide about frames otherwise', async ({ sandbox }) => {
    await sandbox.write('file', FIRST.subarray(0, 10))

    for (const options of [['--frame-size', '1MiB'], ['--base', 'bafkqaaa'], ['--codec', 'none']]) {
      expectFailure(await sandbox.run(['add', '--cut', 'content', ...options, 'file']), 2)
    }
  })
})

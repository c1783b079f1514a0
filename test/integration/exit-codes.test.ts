import { readFile } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { it } from './run-cli.ts'
import { startGateway } from './run-gateway.ts'

const README = new URL('../../packages/cli/README.md', import.meta.url)
const MISSING = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'

/** A stdin from which nothing comes. */
const STALLED = { [Symbol.asyncIterator]: () => ({ next: async () => new Promise<never>(() => {}) }) }

describe('exit codes', () => {
  it('are those of the table in the reference, and of no other', async ({ sandbox }) => {
    const { run } = sandbox
    const [one, other] = [await sandbox.add(text(100)), await sandbox.add(text(200))]
    const ended = new AbortController()
    const code = async (...args: string[]): Promise<number | null> => (await run(args)).code
    const [adding, importing] = [['add', '-'], ['car', 'import', '-']].map(async args =>
      run(args, { stdin: STALLED, signal: ended.signal }))
    // after they have begun to read
    await code('version')
    ended.abort()
    const gateway = await startGateway(sandbox)

    expect({
      worked: await code('cat', one),
      same: await code('diff', one, one),
      failed: await code('cat', MISSING),
      different: await code('diff', one, other),
      wrongUsage: await code('cat', '--nope'),
      failedDiff: await code('diff', one, MISSING),
      addAtSignal: (await adding).code,
      importAtSignal: (await importing).code,
      gatewayAtSignal: (await gateway.stop()).code
    }).toEqual({
      worked: 0,
      same: 0,
      failed: 1,
      different: 1,
      wrongUsage: 2,
      failedDiff: 2,
      addAtSignal: 130,
      importAtSignal: 130,
      gatewayAtSignal: 0
    })

    const [, table] = (await readFile(README, 'utf8')).split('| exit code | means |\n|---|---|\n')
    expect(table.split('\n\n')[0].split('\n').map(row => row.split('|')[1].trim())).toEqual(['0', '1', '2', '130'])
  })
})

/** A daemon and a conversion that want the same repo. */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { sep } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import type { RunResult } from './run-cli.ts'

const DAEMON = ['daemon', '--listen', '/ip4/127.0.0.1/tcp/0', '--bootstrap', 'none']

/** Call `work` once, before the first rename to a file in a directory of this name. */
function beforeRename (directory: string, work: () => Promise<void>): void {
  const { rename } = fs
  const restore = (): void => {
    fs.rename = rename
    syncBuiltinESMExports()
  }
  let worked: Promise<void> | undefined

  fs.rename = async (from, to) => {
    if (String(to).includes(`${sep}${directory}${sep}`)) {
      await (worked ??= work())
    }

    return rename(from, to)
  }
  syncBuiltinESMExports()
  onTestFinished(restore)
}

describe('a daemon', () => {
  it('is refused while blocks are converted, and starts afterwards', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000), '--codec', 'none')
    const refused: RunResult[] = []
    const stop = new AbortController()

    // if it starts anyway, it stops at once
    beforeRename(
      'blocks',
      async () => { refused.push(await sandbox.run(DAEMON, { signal: stop.signal, onPrint: () => { stop.abort() } })) }
    )
    const converted = await sandbox.run(['blockstore', 'convert', '--codec', 'zstd', '--json'])

    expectSuccess(converted)
    expect(parseLines(converted.stdout)).toMatchObject([{ converted: 1 }])
    expect(refused).toHaveLength(1)
    expectFailure(refused[0], 1)
    expect(refused[0].stderr).toContain('convert-')

    const daemon = await sandbox.run(DAEMON, { signal: stop.signal, onPrint: () => { stop.abort() } })
    expect(daemon.code).toBe(0)
    expectSuccess(await sandbox.run(['verify', cid]))
  })

  it('that runs prevents a conversion', async ({ sandbox }) => {
    await sandbox.add(text(10_000), '--codec', 'none')
    const stop = new AbortController()
    const converting: Array<Promise<RunResult>> = []

    const daemon = await sandbox.run(DAEMON, {
      signal: stop.signal,
      onPrint () {
        if (converting.length === 0) {
          converting.push(sandbox.run(['blockstore', 'convert', '--codec', 'zstd']).finally(() => { stop.abort() }))
        }
      }
    })

    expect(daemon.code).toBe(0)
    expectFailure(await converting[0], 1)
    expect((await sandbox.run(['stats', '--json'])).stdout.toString()).toContain('"none"')
  })
})

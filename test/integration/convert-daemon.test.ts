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
  it('waits while blocks are converted, says so, and starts afterwards', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))
    const cid = await sandbox.add(text(10_000), '--codec', 'none')
    const stop = new AbortController()
    const events: string[] = []
    const starting: Array<Promise<RunResult>> = []

    beforeRename('blocks', async () => {
      const { promise, resolve } = Promise.withResolvers<void>()

      starting.push(sandbox.run(DAEMON, {
        signal: stop.signal,
        onNote (note) {
          events.push(note)
          resolve()
        },
        onPrint () {
          events.push('started')
          stop.abort()
        }
      }))
      await promise
      events.push('converted')
    })
    const converted = await sandbox.run(['blockstore', 'convert', '--codec', 'zstd', '--json'])

    expectSuccess(converted)
    expect(parseLines(converted.stdout)).toMatchObject([{ converted: 1 }])
    expect((await starting[0]).code).toBe(0)
    expect(events.slice(0, 3))
      .toEqual([expect.stringContaining(`process ${process.pid}`), 'converted', 'started'])
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
          converting.push(sandbox.run(['blockstore', 'convert', '--layout', 'files']).finally(() => { stop.abort() }))
        }
      }
    })

    expect(daemon.code).toBe(0)
    expectFailure(await converting[0], 1)
    expect((await sandbox.run(['stats', '--json'])).stdout.toString()).toContain('"packs"')
  })
})

/** @module-tag nightly */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ChildProcess } from 'node:child_process'

const BENCH = join(import.meta.dirname, '..')
const PATIENCE = { timeout: 60_000 }

const DAEMON = `
  import { join } from 'node:path'
  import { startCommandDaemon } from ${JSON.stringify(join(BENCH, 'support/network/command.ts'))}
  import { withDirectory } from ${JSON.stringify(join(BENCH, 'support/temporary.ts'))}

  await withDirectory(async directory => {
    await startCommandDaemon(join(directory, 'repo'))
    console.log(directory)
    await new Promise(() => {})
  })
`

function start (...args: string[]): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => { child.kill('SIGKILL') })

  return child
}

/** The IDs of the child processes of a process. */
function childrenOf ({ pid }: ChildProcess): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
}

describe('an interrupted benchmark process', () => {
  it.each(
    [['SIGINT', 130], ['SIGTERM', 143]] as const
  )('stops its daemon and removes its directory on %s', async (signal, code) => {
    const child = start('--input-type=module', '--eval', DAEMON)
    const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data') as [Buffer]
    const [daemon] = childrenOf(child)
    child.kill(signal)

    expect(await once(child, 'exit')).toEqual([code, null])
    await vi.waitFor(() => { expect(existsSync(`/proc/${daemon}`)).toBe(false) }, PATIENCE)
    expect(existsSync(line.toString().trim())).toBe(false)
  })

  it('stops the benchmark that it runs', async () => {
    const child = start(join(BENCH, 'run.ts'), 'all', '--smoke')
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    const [benchmark] = childrenOf(child)
    child.kill('SIGTERM')

    expect(await once(child, 'exit')).toEqual([143, null])
    await vi.waitFor(() => { expect(existsSync(`/proc/${benchmark}`)).toBe(false) }, PATIENCE)
  })
})

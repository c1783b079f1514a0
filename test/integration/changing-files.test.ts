import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { noise } from '../support/data.ts'
import { it } from './run-cli.ts'

/** Read in several pieces, so that it may be torn. */
const SIZE = 9 * 1024 * 1024
const NOTE = 'changed while it was read: parts of different versions may be stored'

/** Run something while a file is written to without end. */
async function whileWriting<T> (file: string, run: () => Promise<T>): Promise<T> {
  const handle = await open(file, 'w')
  await handle.write(noise(SIZE))
  const over = new AbortController()
  const writing = (async () => {
    while (!over.signal.aborted) {
      await handle.write('x', SIZE / 2)
    }
  })()

  try {
    return await run()
  } finally {
    over.abort()
    await writing
    await handle.close()
  }
}

describe('ipfsz add of a file that is written to', () => {
  it.for([
    ['a file', ['in/log'], 'log: '],
    ['a directory', ['in'], 'in: log '],
    ['wrapped', ['-w', 'in/log'], 'log ']
  ] as const)('says so: %s', async ([, args, name], { sandbox }) => {
    await mkdir(join(sandbox.directory, 'in'))

    const result = await whileWriting(join(sandbox.directory, 'in/log'), async () => sandbox.run(['add', ...args]))

    expect(result.code).toBe(0)
    expect(result.stderr).toContain(`ipfsz: ${name}${NOTE}`)
  })

  it('says nothing of one that was written before', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'in'))
    await whileWriting(join(sandbox.directory, 'in/log'), async () => {})

    expect((await sandbox.run(['add', 'in'])).stderr).not.toContain(NOTE)
  })
})

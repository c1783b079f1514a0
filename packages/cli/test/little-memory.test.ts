import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const MIB = 1024 * 1024
const MODULE = pathToFileURL(`${import.meta.dirname}/../src/commands/little-memory.ts`)

/**
 * In a process of its own: that memory never shrinks to where it was. The small heap is watched between turns of the
 * event loop.
 */
function programWith (name: 'withLittleMemory' | 'withSmallHeap'): string {
  return `
import { setImmediate } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { ${name} } from '${MODULE}'

const size = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size
const work = async () => {
  const kept = []

  for (let i = 0; i < 1_000_000; i++) {
    kept.push({ i })

    if (${name === 'withSmallHeap'} && i % 10_000 === 0) {
      await setImmediate()
    }
  }

  return size()
}

const little = await ${name}(work)
await ${name}(async () => { throw new Error('fails') }).catch(() => {})
console.log(JSON.stringify({ little, usual: await work() }))
`
}

async function run (name: 'withLittleMemory' | 'withSmallHeap'): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', programWith(name)])

  return JSON.parse(stdout) as Record<string, number>
}

describe('withLittleMemory', () => {
  it('keeps the memory of new objects from growing until the work has ended, or failed', async () => {
    const { little, usual } = await run('withLittleMemory')

    // V8 may let it grow by some MiB where other programs keep the processor busy
    expect(little).toBeLessThanOrEqual(8 * MIB)
    expect(usual).toBeGreaterThan(2 * little)
  })
})

describe('withSmallHeap', () => {
  it('keeps the memory of new objects below 16 MiB until the work has ended, or failed', async () => {
    const { little, usual } = await run('withSmallHeap')

    expect(little).toBeLessThanOrEqual(16 * MIB)
    expect(usual).toBeGreaterThan(little)
  })
})

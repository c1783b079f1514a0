import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const MODULE = pathToFileURL(`${import.meta.dirname}/../src/commands/little-memory.ts`)

/** In a process of its own: that memory never shrinks to where it was. */
const PROGRAM = `
import { getHeapSpaceStatistics } from 'node:v8'
import { withLittleMemory } from '${MODULE}'

const size = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size
const work = async () => {
  const kept = []

  for (let i = 0; i < 1_000_000; i++) {
    kept.push({ i })
  }

  return size()
}

const before = size()
const little = await withLittleMemory(work)
await withLittleMemory(async () => { throw new Error('fails') }).catch(() => {})
console.log(JSON.stringify({ before, little, usual: await work() }))
`

describe('withLittleMemory', () => {
  it('keeps the memory of new objects from growing until the work has ended, or failed', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM])
    const { before, little, usual } = JSON.parse(stdout) as Record<string, number>

    expect(little).toBeLessThanOrEqual(2 * before)
    expect(usual).toBeGreaterThan(4 * before)
  })
})

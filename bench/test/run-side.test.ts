import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SMOKE } from '../support/site/plans.ts'
import { againIfItHangs, runSide, SideTimeoutError } from '../support/site/run-side.ts'
import type { Measured } from '../support/site/trial.ts'

/** In milliseconds: for what ends by itself, longer than it ever takes. */
const LONG = 60_000

const MEASURED: Measured[] = [{ phase: 'write', bytes: 1, outcomes: [{ wall: 1 }] }]

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-side-test-'))
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

/** Run a program in place of a side. Returns what it measured, and why it failed. */
async function runProgram (source: string, timeout: number): Promise<{ added: unknown[], failure?: Error }> {
  const program = join(directory, 'program.mjs')
  await writeFile(program, source)
  const added: unknown[] = []
  const task = { id: 'a', plan: SMOKE, round: 0, directory: join(directory, 'side') }

  try {
    await runSide(task, timeout, (objects, measured) => { added.push([objects, measured]) }, program)
    return { added }
  } catch (err) {
    return { added, failure: err as Error }
  } finally {
    expect(await readdir(directory)).to.deep.equal(['program.mjs'])
  }
}

async function hangs (): Promise<void> {
  throw new SideTimeoutError('a', 1)
}

describe('runSide', () => {
  it('keeps what was measured before a side failed', async () => {
    const { added, failure } = await runProgram(`
      process.send({ objects: 1, measured: ${JSON.stringify(MEASURED)} })
      process.send({ failure: 'the disk is full' }, () => process.exit(1))
    `, LONG)

    expect(added).to.deep.equal([[1, MEASURED]])
    expect(failure?.message).to.equal('the disk is full')
  })

  it('ends a side that hangs, with a named error', async () => {
    const { failure } = await runProgram('setInterval(() => {}, 1000)', 1)

    expect(failure).to.be.an.instanceof(SideTimeoutError).and.include({ name: 'SideTimeoutError', id: 'a' })
  })

  it.each([
    ['that says nothing', 'process.exit()'],
    ['that crashes', 'setTimeout(() => process.kill(process.pid, "SIGKILL"))']
  ])('fails for a process %s', async (_, source) => {
    expect((await runProgram(source, LONG)).failure?.message).to.include('its process ended')
  })

  it('resolves when all was measured', async () => {
    expect(await runProgram('process.send({}, () => process.exit())', LONG)).to.deep.equal({ added: [] })
  })
})

describe('againIfItHangs', () => {
  it('measures a side once more that hung', async () => {
    const run = vi.fn(async () => {}).mockImplementationOnce(hangs)
    await againIfItHangs(run)

    expect(run).toHaveBeenCalledTimes(2)
  })

  it('gives up when a side hangs twice, or fails', async () => {
    const hanging = vi.fn(hangs)
    const failing = vi.fn(async () => Promise.reject(new Error('the disk is full')))

    await expect(againIfItHangs(hanging)).rejects.toThrow(SideTimeoutError)
    await expect(againIfItHangs(failing)).rejects.toThrow('the disk is full')
    expect([hanging, failing].map(run => run.mock.calls.length)).toEqual([2, 1])
  })
})

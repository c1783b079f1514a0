import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, expect, it, vi } from 'vitest'
import { isRunning, startOf } from '../src/disk/process-state.ts'

describe('isRunning', () => {
  it('is true for this process, and false for an earlier one with the same id', () => {
    expect(isRunning(process.pid, startOf(process.pid))).toBe(true)
    expect(isRunning(process.pid, '1')).toBe(process.platform !== 'linux')
  })

  it.runIf(
    process.platform === 'linux'
  )('is false for a process that has ended but was not reaped', async () => {
    // sleep replaces the shell, and does not reap the shell's child
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })

    try {
      const { value } = await createInterface(parent.stdout)[Symbol.asyncIterator]().next() as { value: string }
      await vi.waitFor(() => { expect(isRunning(Number(value), startOf(Number(value)))).toBe(false) }, 120_000)
    } finally {
      parent.kill()
    }
  })
})

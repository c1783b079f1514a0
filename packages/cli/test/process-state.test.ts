import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, expect, it, vi } from 'vitest'
import { isRunning, startOf } from '../src/disk/process-state.ts'

describe('isRunning', () => {
  it('is true of this process, and false of another that had its id before', () => {
    expect(isRunning(process.pid, startOf(process.pid))).toBe(true)
    expect(isRunning(process.pid, '1')).toBe(process.platform !== 'linux')
  })

  it.runIf(
    process.platform === 'linux'
  )('is false of a process that has ended and that nobody has asked after', async () => {
    // sleep takes the place of the shell, and does not wait for the shell's child
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })

    try {
      const { value } = await createInterface(parent.stdout)[Symbol.asyncIterator]().next() as { value: string }
      await vi.waitFor(() => { expect(isRunning(Number(value), startOf(Number(value)))).toBe(false) }, 120_000)
    } finally {
      parent.kill()
    }
  })
})

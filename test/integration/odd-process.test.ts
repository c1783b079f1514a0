import { describe, expect } from 'vitest'
import { expectFailure, it } from './run-cli.ts'

describe.concurrent('the command with a directory as stdin', () => {
  it.for(['ipfsz add - < .', 'ipfsz car import - < .'])('refuses %s, and keeps nothing', async (line, { sandbox }) => {
    const result = await sandbox.shell(line)

    expectFailure(result, 2)
    expect(result.stderr).toMatch(/^ipfsz: stdin is a directory/)
    expect((await sandbox.run(['pin', 'ls'])).stdout.toString()).toBe('')
  })
})

/** @module-tag slow */
import { describe, expect } from 'vitest'
import { torture } from '../../scripts/torture/torture.ts'
import { it } from './run-cli.ts'

const KILLS = 10

describe('kill -9 at random moments', () => {
  it(`loses nothing that was acknowledged, ${KILLS} times with two processes on one repo`, async ({ sandbox }) => {
    const lines: string[] = []

    // `npm run torture` does the same a thousand times
    const { kills } = await torture(sandbox.directory, { kills: KILLS, seed: 18, onLine: line => { lines.push(line) } })
      .catch((err: unknown) => { throw new Error(lines.join('\n'), { cause: err }) })

    expect(kills).toBeGreaterThanOrEqual(KILLS)
  })
})

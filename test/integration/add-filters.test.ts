import { describe, expect } from 'vitest'
import { expectSuccess, it } from './run-cli.ts'

/** A wave of 16 bits with some noise, in integers. */
const SOUND = Buffer.from(Int16Array.from({ length: 100_000 }, (_, i) => (
  Math.abs(i * 37 % 20_000 - 10_000) + i * i % 61
)).buffer)

describe.concurrent('ipfsz add of sound', () => {
  it('applies filters, which stat shows and cat undoes', async ({ sandbox }) => {
    const cid = await sandbox.add(SOUND)
    const [text, json] = [await sandbox.run(['stat', cid]), await sandbox.run(['stat', '--json', cid])]

    expect(text.stdout.toString()).toMatch(/Filters\t(shuffle|delta)-\d/)
    expect(text.stdout.toString()).toContain('Others\t-\n')
    expect(JSON.parse(json.stdout.toString()).filters).toEqual(expect.arrayContaining([expect.stringMatching(/-\d$/)]))
    expect((await sandbox.run(['cat', cid])).stdout.equals(SOUND)).toBe(true)
    expectSuccess(await sandbox.run(['verify', cid]))
  })

  it('applies none with --no-filters', async ({ sandbox }) => {
    const cid = await sandbox.add(SOUND, '--no-filters')

    const stat = (await sandbox.run(['stat', cid])).stdout.toString()

    expect(stat).not.toContain('Filters')
    expect(stat).toContain('Others\tzstd -dc\n')
    expect((await sandbox.run(['cat', cid])).stdout.equals(SOUND)).toBe(true)
  })
})

import { describe, expect, it } from 'vitest'
import { versionSummary } from '../src/terminal/version-summary.ts'

describe('versionSummary', () => {
  const cid = 'bagbnjavhaerca'.padEnd(64, 'a')
  const printed = { cid, date: new Date(), size: 123_456_789, addedSize: 1_022_976, pinned: false }

  it.each([40, 80, undefined, 0])('fits a terminal of %j columns, except for the CID', columns => {
    for (const pinned of [true, false]) {
      const lines = versionSummary({ ...printed, pinned }, columns).split('\n')

      expect(lines.slice(0, -1).every(({ length }) => length < (columns || 80))).toBe(true)
      expect(lines.at(-1)?.trim()).toBe(cid)
      expect(lines.join('\n').includes('not pinned')).toBe(!pinned)
    }
  })

  it('says that nothing is new of a version that was stored before', () => {
    expect(versionSummary({ ...printed, addedSize: 0 }, 80)).toContain('118 MiB, stored before, not pinned')
  })
})

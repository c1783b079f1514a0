import { describe, expect, it } from 'vitest'
import { fileMode } from '../src/disk/restore-metadata.ts'

describe('fileMode', () => {
  it.each([
    ['linux', 0o755, 0o755],
    ['linux', 0o100644, undefined],
    ['linux', 0o4555, 0o555],
    // a read-only file could neither be replaced nor deleted
    ['win32', 0o555, undefined]
  ])('on %s sets for the mode %o the mode %o', (system, mode, set) => {
    expect(fileMode({ mode: mode & 0o7777 }, system)).toBe(set)
  })
})

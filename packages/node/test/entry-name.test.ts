import { win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEntryName } from '../src/disk/entry-name.ts'

describe('isEntryName', () => {
  it.each(['a', 'a.b', '.a', 'com', 'console', 'nul1.txt', 'ä b', '...a'])('takes %j everywhere', name => {
    expect(isEntryName(name, 'linux')).toBe(true)
    expect(isEntryName(name, 'win32')).toBe(true)
  })

  it.each(['', '.', '..', 'a/b', '/', 'a\0b'])('refuses %j everywhere', name => {
    expect(isEntryName(name, 'linux')).toBe(false)
    expect(isEntryName(name, 'win32')).toBe(false)
  })

  it.each([
    '..\\a', 'a\\b', 'C:a', 'a:stream', 'nul', 'NUL.txt', 'con', 'Com1', 'lpt9.log', 'COM\u00b9', 'a.', 'a ', 'a?',
    'a\n', 'CONIN$', 'nul .txt'
  ])('refuses %j on Windows alone', name => {
    expect(isEntryName(name, 'linux')).toBe(true)
    expect(isEntryName(name, 'win32')).toBe(false)
  })

  it('takes only names that stay in their directory on Windows', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '.', '\\', '/', ':', 'C', ' '), maxLength: 8 })

    fc.assert(fc.property(name, name => {
      fc.pre(isEntryName(name, 'win32'))

      expect(win32.dirname(win32.join('C:\\parent', name))).toBe('C:\\parent')
      expect(win32.basename(name)).toBe(name)
      expect(win32.isAbsolute(name)).toBe(false)
    }))
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SilenceNote } from '../src/terminal/silence-note.ts'

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

function notesOf (showsProgress: boolean): { notes: string[], note: SilenceNote } {
  const notes: string[] = []

  return { notes, note: new SilenceNote({ showsProgress, note: message => { notes.push(message) } }) }
}

describe('SilenceNote', () => {
  it('says once in a pipe that nothing has arrived', () => {
    const { notes, note } = notesOf(false)
    note.begin('CID')
    note.begin('another')
    vi.advanceTimersByTime(9999)
    expect(notes).toEqual([])
    vi.advanceTimersByTime(60_000)
    expect(notes).toEqual(['nothing has arrived for 10 s: still waiting for CID'])
  })

  it('says nothing on a terminal, where a bar does', () => {
    const { notes, note } = notesOf(true)
    note.begin('CID')
    vi.advanceTimersByTime(60_000)
    expect(notes).toEqual([])
  })

  it('says nothing once something has arrived', () => {
    const { notes, note } = notesOf(false)
    note.begin('CID')
    note.end()
    note.begin('CID')
    vi.advanceTimersByTime(60_000)
    expect(notes).toEqual([])
  })
})

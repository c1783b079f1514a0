import { describe, expect, it } from 'vitest'
import { noteFailures, QUIET_TIME } from '../src/gateway/failures.ts'

const REQUEST = new Request('http://127.0.0.1/ipfs/a')

describe('a failure of the gateway', () => {
  it('is told with its cause, and the same one again a minute later', () => {
    const notes: string[] = []
    const clock = { now: 0 }
    const note = noteFailures({ onNote: message => { notes.push(message) }, now: () => clock.now })
    const failure = new Error('Could not read the block', { cause: new Error('EIO: i/o error') })

    note(failure, REQUEST)
    note(failure, REQUEST)
    note(new Error('another'), REQUEST)
    clock.now = QUIET_TIME
    note(failure, REQUEST)

    expect(notes).toEqual([
      'could not answer GET http://127.0.0.1/ipfs/a: Error: Could not read the block (EIO: i/o error)',
      'could not answer GET http://127.0.0.1/ipfs/a: Error: another',
      'could not answer GET http://127.0.0.1/ipfs/a: Error: Could not read the block (EIO: i/o error)'
    ])
  })

  it('takes bounded memory and space', () => {
    const notes: string[] = []
    const note = noteFailures({ onNote: message => { notes.push(message) }, now: () => 0 })

    for (let i = 0; i <= 1000; i++) {
      note(new Error(`${i}`), new Request(`http://127.0.0.1/${'x'.repeat(1000)}`))
    }

    expect(Math.max(...notes.map(({ length }) => length))).toBeLessThan(400)
    // the oldest is forgotten, the newest is not
    note(new Error('1000'), REQUEST)
    expect(notes).toHaveLength(1001)
    note(new Error('0'), REQUEST)
    expect(notes).toHaveLength(1002)
    note('not an error', REQUEST)
    expect(notes.at(-1)).toContain('not an error')
  })
})

import { describe, expect, it } from 'vitest'
import { messageOf } from '../src/message-of.ts'

describe('messageOf', () => {
  it('gives the message of an error, and the text of anything else that was thrown', () => {
    expect(messageOf(new TypeError('wrong'))).toBe('wrong')
    expect(messageOf('text')).toBe('text')
    expect(messageOf(undefined)).toBe('undefined')
  })

  it('says what fills the stack of a decoder', () => {
    const deep = (): unknown => [deep()]

    expect(() => { deep() }).toThrow(expect.toSatisfy((err: Error) => messageOf(err) === 'it is nested too deeply'))
  })
})

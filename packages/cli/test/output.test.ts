import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Output, printable } from '../src/terminal/output.ts'

/** The Unicode characters that change the text direction, and the line and paragraph separators. */
const CODES = [
  0x061c,
  0x200e,
  0x200f,
  0x202a,
  0x202b,
  0x202c,
  0x202d,
  0x202e,
  0x2066,
  0x2067,
  0x2068,
  0x2069,
  0x2028,
  0x2029
]
const HOSTILE = `a\u001b[2J${String.fromCodePoint(...CODES)}\u0085b`

describe('printable', () => {
  it.for(CODES)('escapes the character %i', code => {
    expect(printable(`a${String.fromCodePoint(code)}b`)).toBe(`a\\u${code.toString(16).padStart(4, '0')}b`)
  })

  it('escapes control characters', () => {
    expect(printable('a\n\u0000\u007f\u009b')).toBe('a\\x0a\\x00\\x7f\\x9b')
  })

  it('leaves names in any script unchanged', () => {
    for (const name of ['größe', 'שלום', 'مرحبا', '文件', '👩‍👩‍👧 🦆', 'e\u0301']) {
      expect(printable(name)).toBe(name)
    }
  })
})

/** An output that writes to `stdout`. */
function outputTo (stdout: Writable): Output {
  return new Output({ stdout, stderr: new Writable(), now: () => 0, env: {} }, { json: false, verbose: false })
}

describe('Output', () => {
  it('writes bytes before it returns, since their memory may be used again', async () => {
    let written: (() => void) | undefined
    const stdout = new Writable({ highWaterMark: 1000, write: (_, __, callback) => { written = callback } })
    const writing = outputTo(stdout).bytes(new Uint8Array(10), new AbortController().signal)
    const turn = new Promise(resolve => { setImmediate(() => { resolve('waiting') }) })

    expect(await Promise.race([writing, turn])).toBe('waiting')
    written?.()
    await writing
  })

  it('stops waiting for a slow stdout when it is aborted', async () => {
    const controller = new AbortController()
    const writing = outputTo(new Writable({ write: () => {} })).bytes(new Uint8Array(10), controller.signal)

    controller.abort(new Error('enough'))
    await expect(writing).rejects.toThrow('enough')
  })

  it('throws what writing throws', async () => {
    const stdout = new Writable({ write: (_, __, callback) => { callback(new Error('closed')) } })
    stdout.on('error', () => {})

    await expect(outputTo(stdout).bytes(new Uint8Array(10), new AbortController().signal)).rejects.toThrow('closed')
  })

  it.for<[string, (output: Output) => void]>([
    ['a result as JSON', output => { output.result({ name: HOSTILE }, '') }],
    ['a note', output => { output.note(HOSTILE) }],
    ['an error and its causes', output => { output.error(HOSTILE, new Error(HOSTILE, { cause: new Error(HOSTILE) })) }]
  ])('prints no control characters except newlines in %s', ([, print]) => {
    const written = collect(output => { print(output) })

    expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u)
    expect(written).toContain('202e')
  })

  it('prints JSON that parses to the same value', () => {
    const written = collect(output => { output.result({ name: HOSTILE }, '') })

    expect(JSON.parse(written)).toEqual({ name: HOSTILE })
  })
})

function collect (print: (output: Output) => void): string {
  const chunks: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write (chunk: string, _encoding, done) {
      chunks.push(chunk)
      done()
    }
  })

  print(new Output({ stdout: stream, stderr: stream, now: () => 0, env: {} }, { json: true, verbose: true }))

  return chunks.join('')
}

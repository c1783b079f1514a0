import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { contentDisposition } from '../src/respond/content-disposition.ts'
import { etagOf } from '../src/respond/etag.ts'
import { ALL_TYPES } from '../src/respond/file/all-types.ts'
import { noise, text } from './fixtures.ts'

function disposition (query: string, init?: Parameters<typeof contentDisposition>[1]): string | undefined {
  return contentDisposition(new URLSearchParams(query), init)
}

describe('Content-Disposition', () => {
  it.each<[string, string | undefined]>([
    ['', undefined],
    ['filename=', undefined],
    ['download=false', undefined],
    ['filename=foobar.bin', 'inline; filename="foobar.bin"'],
    ['filename=foobar.bin&download=true', 'attachment; filename="foobar.bin"'],
    ['filename=test%D1%82%D0%B5%D1%81%D1%82.pdf',
      'inline; filename="test____.pdf"; filename*=UTF-8\'\'test%D1%82%D0%B5%D1%81%D1%82.pdf'],
    ['filename=a"b', 'inline; filename="a\\"b"'],
    ['filename=../../x', 'inline; filename="x"'],
    ['filename=C:\\d\\x', 'inline; filename="x"'],
    ['filename=x/..', 'inline; filename="b.txt"'],
    ['filename=x/', 'inline; filename="b.txt"'],
    ['filename=a%0D%0AX-Y:%20z', 'inline; filename="a__X-Y: z"'],
    ['filename=a%00%7F%C2%85', 'inline; filename="a___"'],
    ['filename=a%E2%80%AEgpj.exe', 'inline; filename="a_gpj.exe"'],
    ['filename=%2541', 'inline; filename="%41"; filename*=UTF-8\'\'%2541'],
    ['filename=%F0%9F%98%80', 'inline; filename="_"; filename*=UTF-8\'\'%F0%9F%98%80'],
    ['download=true', 'attachment; filename="b.txt"']
  ])('of ?%s is %s', (query, expected) => {
    expect(disposition(query, { filename: 'b.txt' })).toBe(expected)
  })

  it('of blocks is an attachment with their own name, unless the URL has another', () => {
    expect(disposition('', { type: 'attachment', filename: 'cid.bin' })).toBe('attachment; filename="cid.bin"')
    expect(disposition('filename=a', { type: 'attachment', filename: 'cid.bin' })).toBe('attachment; filename="a"')
    expect(disposition('download=true')).toBe('attachment')
    expect(disposition('filename=\ud800', { type: 'attachment' })).toBeDefined()
  })
})

describe('an ETag', () => {
  it('names the CID, the format and the encoding', () => {
    const cid = CID.parse('bafkqaaa')

    expect(etagOf(cid)).toBe('"bafkqaaa"')
    expect(etagOf(cid, 'raw', undefined)).toBe('"bafkqaaa.raw"')
    expect(etagOf(cid, 'raw', 'zstd')).toBe('"bafkqaaa.raw.zstd"')
  })
})

async function typeOf (whole: string): Promise<string> {
  return ALL_TYPES.ofBytes(new TextEncoder().encode(whole), true)
}

describe('the type of a file', () => {
  it.each<[string, string | undefined]>([
    ['a.txt', 'text/plain; charset=utf-8'],
    ['a.HTML', 'text/html'],
    ['a.js', 'text/javascript; charset=utf-8'],
    ['a.json', 'application/json'],
    ['a.svg', 'image/svg+xml'],
    ['a.tar.gz', 'application/gzip'],
    ['a.wasm', 'application/wasm'],
    ['a.ts', undefined],
    ['a.d.MTS', undefined],
    ['main.rs', undefined],
    ['html', undefined],
    ['README', undefined],
    ['.txt', undefined],
    ['a.', undefined],
    ['', undefined]
  ])('named %s is %s', (name, type) => {
    expect(ALL_TYPES.ofName(name)).toBe(type)
  })

  it.each<[string, string | Uint8Array, string]>([
    ['text', text(1000), 'text/plain; charset=utf-8'],
    ['text that is cut inside of a character', Buffer.from('aä').subarray(0, 2), 'text/plain; charset=utf-8'],
    ['nothing', '', 'text/plain; charset=utf-8'],
    ['noise', noise(1000), 'application/octet-stream'],
    ['control characters', 'a\0b', 'application/octet-stream'],
    ['a page', '\ufeff \n<!-- x -->\n<!DOCTYPE html><p>', 'text/html'],
    ['a part of a page', '<body class=x>', 'text/html'],
    ['a drawing', '<?xml version="1.0"?>\n<!-- x --><svg xmlns="x">', 'image/svg+xml'],
    ['XML', '<?xml version="1.0"?><a>', 'text/xml'],
    ['JSON', '{"a": [1, 2', 'application/json'],
    ['a list of JSON', '[ {"a', 'application/json'],
    ['text that begins like JSON', '{ a }', 'text/plain; charset=utf-8'],
    ['text with an angle', '<- see', 'text/plain; charset=utf-8'],
    ['PNG', Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex'), 'image/png'],
    ['PDF', '%PDF-1.7\n', 'application/pdf'],
    ['MPEG-TS', Uint8Array.from({ length: 188 * 4 }, (_, i) => i % 188 === 0 ? 0x47 : 0xff), 'video/mp2t'],
    ['TypeScript', 'export const a: string = "b"\n', 'text/plain; charset=utf-8'],
    ['Rust', 'fn main() { println!("<html>"); }\n', 'text/plain; charset=utf-8']
  ])('that begins like %s is told by its bytes', async (_, bytes, type) => {
    const sample = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : new Uint8Array(bytes)

    expect(await ALL_TYPES.ofBytes(sample, false)).toBe(type)
  })

  it('that is whole JSON is JSON, and other text is not', async () => {
    expect(await typeOf('{}\n')).toBe('application/json')
    expect(await typeOf('[1]')).toBe('application/json')
    expect(await typeOf('{"a": 1')).toBe('text/plain; charset=utf-8')
    expect(await typeOf('1')).toBe('text/plain; charset=utf-8')
    expect(await typeOf('ä')).toBe('text/plain; charset=utf-8')
  })

  it('is found in bounded time, whatever it holds', async () => {
    for (const piece of ['<!--', '<!-- -->', '<?xml ', '{"\\', '{"a":', '[[[', ' \n', '<!doctype svg ']) {
      await ALL_TYPES.ofBytes(new TextEncoder().encode(piece.repeat(4100 / piece.length)), false)
    }
  })
})

import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { nameOf, parseContentPath } from '../src/dag/cid-path.ts'

const TEXT = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
const PARSED = CID.parse(TEXT)

describe('a CID with a path', () => {
  it.for([
    [TEXT, ''],
    [`ipfs://${TEXT}/`, ''],
    [`${TEXT}/a/b c.csv`, 'a/b c.csv'],
    [`/ipfs/${TEXT}/a%20b`, 'a%20b'],
    [`ipfs://${TEXT}/a`, 'a'],
    [`https://example.com/ipfs/${TEXT}/a/b%20c.csv?download=true#top`, 'a/b c.csv'],
    [`http://127.0.0.1:8080/ipfs/${TEXT}`, ''],
    [`http://${TEXT}.ipfs.localhost:8080/a/`, 'a/'],
    [`HTTPS://${TEXT}.ipfs.example.com`, '']
  ])('is read from %s', ([text, path]) => {
    expect(parseContentPath(text)).toEqual({ cid: PARSED, path, text })
  })

  it.for([
    `https://example.com/${TEXT}`,
    `https://${TEXT}.example.com/`,
    `https://example.com/ipfs/${TEXT}/%zz`,
    'https://example.com/ipfs/hello',
    'http://'
  ])('refuses %s', text => {
    expect(() => parseContentPath(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

describe('a name with a path', () => {
  it.for([
    ['/ipns/k51abc/a/b c.csv', 'k51abc', 'a/b c.csv'],
    ['ipns://docs.example.com/a%20b', 'docs.example.com', 'a%20b'],
    ['/ipns/holiday', 'holiday', ''],
    ['https://example.com/ipns/k51abc/a%20b.csv?x=1#y', 'k51abc', 'a b.csv'],
    ['http://k51abc.ipns.localhost:8080/a/', 'k51abc', 'a/'],
    ['https://my--docs-example-com.ipns.example.net/a', 'my-docs.example.com', 'a'],
    ['http://docs.example.com.ipns.localhost/', 'docs.example.com', '']
  ])('is read from %s', ([text, name, path]) => {
    expect(parseContentPath(text)).toEqual({ name, path, text })
  })

  it.for(['/ipns/', 'ipns://', 'ipns:///a', 'https://example.com/ipns/', 'hello', '/ipns'])('refuses %s', text => {
    expect(() => parseContentPath(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

describe('the name of a copy', () => {
  it('is the last name that was typed', () => {
    expect(nameOf({ cid: PARSED, path: 'a/b/', text: '' })).toBe('b')
    expect(nameOf({ cid: PARSED, path: '', text: '' })).toBe(TEXT)
    expect(nameOf({ cid: PARSED, path: 'a/b', text: '', label: 'docs.example.com' })).toBe('docs.example.com')
  })
})

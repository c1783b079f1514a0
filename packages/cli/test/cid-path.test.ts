import { describe, expect, it } from 'vitest'
import { nameOf, parseCid, parseCidPath, parseContentPath } from '../src/terminal/cid-path.ts'

const CID = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'

describe('a CID with a path', () => {
  it.for([
    [`${CID}/a/b c.csv`, 'a/b c.csv'],
    [`/ipfs/${CID}/a%20b`, 'a%20b'],
    [`ipfs://${CID}/a`, 'a'],
    [`https://example.com/ipfs/${CID}/a/b%20c.csv?download=true#top`, 'a/b c.csv'],
    [`http://127.0.0.1:8080/ipfs/${CID}`, ''],
    [`http://${CID}.ipfs.localhost:8080/a/`, 'a/'],
    [`HTTPS://${CID}.ipfs.example.com`, '']
  ])('is read from %s', ([text, path]) => {
    const parsed = parseCidPath(text)

    expect(parsed.cid.toString()).toBe(CID)
    expect(parsed).toMatchObject({ path, text })
  })

  it.for([
    `https://example.com/${CID}`,
    `https://example.com/ipns/${CID}`,
    `https://${CID}.example.com/`,
    `https://example.com/ipfs/${CID}/%zz`,
    'https://example.com/ipfs/hello',
    'http://'
  ])('refuses %s', text => {
    expect(() => parseCidPath(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
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

  it('is a CID where there is one', () => {
    expect(parseContentPath(`/ipfs/${CID}/a`)).toEqual(parseCidPath(`/ipfs/${CID}/a`))
  })

  it.for(['/ipns/', 'ipns://', 'ipns:///a', 'https://example.com/ipns/', 'hello', '/ipns'])('refuses %s', text => {
    expect(() => parseContentPath(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

describe('the name of a copy', () => {
  it('is the last name that was typed', () => {
    const { cid } = parseCidPath(CID)

    expect(nameOf({ cid, path: 'a/b/', text: '' })).toBe('b')
    expect(nameOf({ cid, path: '', text: '' })).toBe(CID)
    expect(nameOf({ cid, path: 'a/b', text: '', label: 'docs.example.com' })).toBe('docs.example.com')
  })
})

describe('a CID without a path', () => {
  it.for([CID, `/ipfs/${CID}`, `ipfs://${CID}/`, `https://example.com/ipfs/${CID}`, `http://${CID}.ipfs.localhost/`])(
    'is read from %s',
    text => {
      expect(parseCid(text).toString()).toBe(CID)
    }
  )

  it.for(['/ipns/k51abc', 'https://example.com/ipns/k51abc', `ipns://${CID}`])('refuses the name %s', text => {
    expect(() => parseCid(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
    expect(() => parseCidPath(`${text}/a`)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })

  it('refuses a path', () => {
    expect(() => parseCid(`https://example.com/ipfs/${CID}/a`)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

import { describe, expect, it } from 'vitest'
import { parseCid, parseCidPath } from '../src/terminal/cid-path.ts'

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

describe('a CID without a path', () => {
  it.for([CID, `/ipfs/${CID}`, `ipfs://${CID}/`, `https://example.com/ipfs/${CID}`, `http://${CID}.ipfs.localhost/`])(
    'is read from %s',
    text => {
      expect(parseCid(text).toString()).toBe(CID)
    }
  )

  it('refuses a path', () => {
    expect(() => parseCid(`https://example.com/ipfs/${CID}/a`)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

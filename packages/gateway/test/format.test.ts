import { describe, expect, it } from 'vitest'
import { parseAccept } from '../src/request/accept.ts'
import { acceptsHtml, chooseFormat, contentLocation } from '../src/request/format.ts'
import type { ChosenFormat } from '../src/request/format.ts'
import type { Target } from '../src/request/target.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

function ask (url: string, accept?: string): { target: Target, request: Request } {
  const { pathname, search, searchParams } = new URL(url, 'http://localhost')
  const [, namespace, name, ...path] = pathname.split('/')

  return {
    target: {
      namespace: namespace as Target['namespace'],
      name,
      path,
      trailingSlash: false,
      rawPath: '',
      query: searchParams,
      search
    },
    request: new Request(new URL(url, 'http://localhost'), accept == null ? {} : { headers: { accept } })
  }
}

function choose (url: string, accept?: string): ChosenFormat {
  const { target, request } = ask(url, accept)

  return chooseFormat(target, request)
}

function location (url: string, format: ChosenFormat['format']): string | undefined {
  const { target, request } = ask(url)

  return contentLocation(target, request, format)
}

describe('choosing a format', () => {
  it('serves files to browsers and to clients without a wish', () => {
    for (const accept of [undefined, '', '*/*', BROWSER, 'image/png', 'application/*', 'text/html', 'nonsense']) {
      expect(choose('/ipfs/a', accept)).toEqual({ format: 'file', parameters: {} })
    }
  })

  it.each([
    ['raw', 'application/vnd.ipld.raw'],
    ['car', 'application/vnd.ipld.car'],
    ['tar', 'application/x-tar'],
    ['json', 'application/json'],
    ['cbor', 'application/cbor'],
    ['dag-json', 'application/vnd.ipld.dag-json'],
    ['dag-cbor', 'application/vnd.ipld.dag-cbor']
  ])('takes %s from ?format and from Accept', (format, type) => {
    expect(choose(`/ipfs/a?format=${format}`, BROWSER)).toMatchObject({ format })
    expect(choose('/ipfs/a', type)).toMatchObject({ format })
    expect(choose('/ipfs/a', type.toUpperCase())).toMatchObject({ format })
  })

  it('lets ?format take precedence over Accept', () => {
    expect(choose('/ipfs/a?format=car', 'application/vnd.ipld.raw')).toMatchObject({ format: 'car', parameters: {} })
    expect(choose('/ipfs/a?format=raw', 'application/vnd.ipld.car;dups=y'))
      .toMatchObject({ format: 'raw', parameters: {} })
    expect(choose('/ipfs/a?format=car', 'application/vnd.ipld.car; order=dfs; dups=y'))
      .toMatchObject({ format: 'car', parameters: { order: 'dfs', dups: 'y' } })
  })

  it('follows weights, and prefers a format to other types of the same weight', () => {
    expect(choose('/ipfs/a', 'application/vnd.ipld.car;q=0.2, application/vnd.ipld.raw;q=0.9').format).toBe('raw')
    expect(choose('/ipfs/a', '*/*, application/vnd.ipld.car').format).toBe('car')
    expect(choose('/ipfs/a', 'text/html, application/vnd.ipld.car;q=0.9').format).toBe('file')
    expect(choose('/ipfs/a', 'application/vnd.ipld.car;q=0, */*').format).toBe('file')
  })

  it('takes JSON as a wish of many only if nothing else is accepted', () => {
    expect(choose('/ipfs/a', 'application/json, text/plain, */*').format).toBe('file')
    expect(choose('/ipfs/a', 'application/json').format).toBe('json')
    expect(choose('/ipfs/a', 'application/json, application/vnd.ipld.dag-json;q=0.5').format).toBe('json')
  })

  it('takes the first CAR that it can make', () => {
    const wishes = 'application/vnd.ipld.car;order=foo, application/vnd.ipld.car;order=dfs;dups=y;q=0.5'
    expect(choose('/ipfs/a', wishes)).toMatchObject({ format: 'car', parameters: { order: 'dfs', dups: 'y' } })
    expect(choose('/ipfs/a?format=car', wishes).parameters).toEqual({ order: 'dfs', dups: 'y' })
    expect(choose('/ipfs/a?car-order=dfs', 'application/vnd.ipld.car;order=foo').format).toBe('car')
    expect(choose('/ipfs/a', 'application/vnd.ipld.car;version=2, */*').format).toBe('file')
  })

  it('refuses CARs that it cannot make', () => {
    for (const wish of ['version=2', 'order=bfs', 'dups=maybe']) {
      expect(() => choose('/ipfs/a', `application/vnd.ipld.car;${wish}`))
        .toThrow(expect.objectContaining({ status: 406 }))
    }
  })

  it('refuses unknown formats', () => {
    for (const format of ['zip', 'file', 'toString', '__proto__', 'CAR']) {
      expect(() => choose(`/ipfs/a?format=${format}`)).toThrow(expect.objectContaining({ status: 400 }))
    }
  })

  it('refuses IPNS records of what is not a name alone', () => {
    expect(choose('/ipns/a?format=ipns-record').format).toBe('ipns-record')

    for (const url of ['/ipfs/a', '/ipns/a/b']) {
      expect(() => choose(`${url}?format=ipns-record`)).toThrow(expect.objectContaining({ status: 400 }))
      expect(() => choose(url, 'application/vnd.ipfs.ipns-record')).toThrow(expect.objectContaining({ status: 400 }))
    }
  })

  it('knows who wants a page', () => {
    expect(acceptsHtml(ask('/ipfs/a', BROWSER).request)).toBe(true)
    expect(acceptsHtml(ask('/ipfs/a', '*/*').request)).toBe(false)
    expect(acceptsHtml(ask('/ipfs/a', 'text/html;q=0').request)).toBe(false)
  })

  it('names the URL of what Accept chose', () => {
    expect(location('/ipfs/a', 'raw')).toBe('/ipfs/a?format=raw')
    expect(location('/ipfs/a?car-dups=y', 'car')).toBe('/ipfs/a?car-dups=y&format=car')
    expect(location('/ipfs/a?format=car', 'car')).toBeUndefined()
    expect(location('/ipfs/a', 'file')).toBeUndefined()
  })
})

describe('parsing Accept', () => {
  it('reads quoted values and keeps the order of equal weights', () => {
    expect(parseAccept('a/b;x="1,2;\\"3", c/d ; y = z;q=0.5,e/f')).toEqual([
      { type: 'a/b', parameters: { x: '1,2;"3' }, q: 1 },
      { type: 'e/f', parameters: {}, q: 1 },
      { type: 'c/d', parameters: { y: 'z' }, q: 0.5 }
    ])
  })

  it('leaves out what is not acceptable or cannot be parsed', () => {
    expect(parseAccept('a/b;q=0, c/d;q=2, e/f;q=x, g, /, h/i/j, "')).toEqual([])
    expect(parseAccept(null)).toEqual([])
  })

  it('takes little time for hostile headers', () => {
    for (const part of ['"', '\\"', ',', ';', '"\\', 'a/b;=']) {
      expect(parseAccept(part.repeat(20_000)).length).toBeLessThan(20_001)
    }
  })
})

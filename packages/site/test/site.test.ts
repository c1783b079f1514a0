import { describe, expect, it } from 'vitest'
import { gatewayBase } from '../src/gateway-base.ts'
import { isPage, keepMatcher } from '../src/keep.ts'
import { loaderPage } from '../src/loader-page.ts'
import { titleOf } from '../src/title.ts'

describe('the gateway of a page', () => {
  it.each([
    ['https:', 'bafy.ipfs.dweb.link', 'https://dweb.link/'],
    ['http:', 'k51.ipns.localhost:8080', 'http://localhost:8080/'],
    ['https:', 'example.org', 'https://example.org/'],
    ['https:', 'ipfs.example.org', 'https://ipfs.example.org/']
  ])('of %s//%s is %s', (protocol, host, base) => {
    expect(gatewayBase({ protocol, host })).toBe(base)
  })
})

describe('what stays plain', () => {
  it('is what programs without a worker read, and what is asked for', () => {
    const keeps = keepMatcher(['/blog/', '*.png'])
    const paths = [
      'robots.txt', 'favicon.ico', '.well-known/a/b', 'feed.xml', 'sub/rss.xml', 'app.webmanifest', 'blog/a.html',
      'sub/a.png', 'index.html', 'sub/blog/a.html', 'data.xml'
    ]

    expect(paths.filter(keeps)).toEqual(paths.slice(0, 8))
    expect(['a.html', 'b/c.HTM', 'd.xhtml', 'e.js', 'html'].filter(isPage)).toEqual(['a.html', 'b/c.HTM', 'd.xhtml'])
  })
})

describe('the loader', () => {
  it('has the title of the site, whatever is in it', () => {
    expect(titleOf('<head><TITLE lang="en">\n A &amp; B\n</TITLE>')).toBe('A &amp; B')
    expect(titleOf('<!-- <title>a</title> --><script>"<title>b</title>"</script><title>a < b</title x>')).toBe('a < b')
    expect(titleOf('<svg><title>icon</title></svg><titles>x</titles><title>\u{1f4f7}</title>')).toBe('\u{1f4f7}')

    const untitled = ['', '<title> </title>', '<p>', '<title', '<title>a', '<!-- <title>a</title>', '<title>a<title>']

    for (const none of untitled) {
      expect(titleOf(none)).toBeUndefined()
    }

    const page = loaderPage('A &amp; B & </title><script>x', { worker: '/w.js' }, 'run("</script>")')
    expect(page).toContain('<title>A &amp; B &amp; &lt;/title&gt;&lt;script&gt;x</title>')
    expect(page.match(/<\/script>/g)).toHaveLength(1)
    expect(page).toContain('{"worker":"/w.js"};run("<\\/script>")')
  })

  it('has the title of a page of any length: quadratic time would take minutes', () => {
    const pieces = ['<title', '<title>', '<title ', '<!--', '<script>', '<script></script>', '<svg ', '</title>']

    for (const piece of pieces) {
      expect(titleOf(piece.repeat(1_000_000 / piece.length))).toBeUndefined()
    }
  })
})

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { siteProblems } from '../../site/check-site.ts'
import { BASE, relocatePage } from '../../site/relocate.ts'

async function problemsOf (pages: Record<string, string>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-test-'))
  onTestFinished(async () => rm(directory, { recursive: true }))

  for (const [name, html] of Object.entries(pages)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), html)
  }

  return siteProblems(directory)
}

describe('siteProblems', () => {
  it('accepts links to pages, folders, anchors and other hosts', async () => {
    expect(await problemsOf({
      'index.html': '<a href="./guide/a.html#one">A</a> <a class="x" href="./guide/">G</a>',
      'other.html': '<a href="https://example.com/">E</a>',
      'guide/index.html': '<a href="../">home</a> <a href="#here">here</a> <h2 id="here">Here</h2>',
      'guide/a.html': '<h2 id="one">One</h2> <img alt="" src="../chart.svg">',
      'chart.svg': '<svg/>'
    })).toEqual([])
  })

  it.each([
    ['a page that does not exist', '<a href="./b.html">B</a>', './b.html does not exist'],
    ['a heading that does not exist', '<a href="./a.html#two">A</a>', './a.html#two has no such heading'],
    ['an absolute path', '<a href="/a.html">A</a>', '/a.html is an absolute path'],
    ['a picture that does not exist', '<img alt="" src="./x.png">', './x.png does not exist'],
    ['a script of another host', '<script src="https://example.com/x.js"></script>',
      'https://example.com/x.js is loaded from elsewhere'],
    ['a folder without a page', '<a href="./empty/">E</a>', './empty/ does not exist']
  ])('refuses %s', async (_, html, problem) => {
    expect(await problemsOf({ 'a.html': html, 'empty/x.txt': '' })).toEqual([`a.html: ${problem}`])
  })
})

describe('relocatePage', () => {
  const html = `<body><a href="${BASE}guide/a.html">A</a><script>window.__VP_SITE_DATA__=JSON.parse(` +
    `${JSON.stringify(JSON.stringify({ base: BASE }))});</script></body>`

  it('makes the paths of a page relative', () => {
    expect(relocatePage(html, 'index.md')).toContain('<a href="./guide/a.html">')
    expect(relocatePage(html, 'api/core/http.md')).toContain('<a href="../../guide/a.html">')
    expect(relocatePage(html, 'api/core/http.md')).not.toContain(BASE)
  })

  it('refuses a page whose data VitePress writes in another way', () => {
    expect(() => relocatePage('<body></body>', 'index.md')).toThrow('index.md')
  })
})

/** A small site, published by `ipfsz site add`. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { longText } from '../support/data.ts'
import type { Sandbox } from '../integration/run-cli.ts'

export const TEXT = Buffer.from(longText(3_000_000))

/** A page with the styles of the site. */
export const page = (title: string, body: string): string =>
  `<!doctype html><title>${title}</title><link rel="stylesheet" href="/style.css"><p>${body}`

export const FILES: Readonly<Record<string, string | Buffer>> = {
  'index.html': page('Home & <more>'.replace('<more>', '&lt;more&gt;'), '<a href="/docs/page.html">go</a>'),
  'docs/page.html': page('A page', '<a href="../">back</a>'),
  'crawled/page.html': page('For crawlers', ''),
  '404.html': page('Not here', ''),
  'style.css': 'p { color: rgb(1, 2, 3) }',
  'robots.txt': 'User-agent: *\n',
  'long.txt': TEXT,
  _redirects: '/* /404.html 404\n'
}

export interface Published {
  cid: string
  /** The path of a CAR of it. */
  car: string
}

/** Publish a site from the repo of a sandbox. */
export async function addSite ({ run: ipfsz, directory }: Sandbox, files: typeof FILES): Promise<Published> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, 'site', name)), { recursive: true })
    await writeFile(join(directory, 'site', name), content)
  }

  const added = await ipfsz(['site', 'add', 'site', '--keep', '/crawled/', '--level', '3', '--json'])
  expect(added.stderr).toBe('')
  const { cid, ...report } = JSON.parse(added.stdout.toString()) as { cid: string }
  expect(report).toMatchObject({ files: 8, pages: 3, kept: 2, size: expect.any(Number) })
  await ipfsz(['car', 'export', cid, '-o', `${cid}.car`])

  return { cid, car: join(directory, `${cid}.car`) }
}

import { mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zstdDecoder } from '@ipfsz/codecs/zstd-decoder'
import { ipfszReader } from '@ipfsz/core/reader'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { openRepo } from '../../packages/node/dist/repo/repo.js'
import { noise, text } from '../support/data.ts'
import { it } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

interface Report {
  cid: string
  tree: string
  storedSize: number
  loaderSize: number
  workerSize: number
  firstVisit: Record<'compressed' | 'plain' | 'compressedGzip' | 'plainGzip', number>
}

async function writeSite (sandbox: Sandbox, names: readonly string[]): Promise<void> {
  await mkdir(join(sandbox.directory, 'dist/sub'), { recursive: true })

  for (const name of names) {
    await sandbox.write(`dist/${name}`, text(50_000))
  }
}

describe('ipfsz site add', () => {
  it('adds a worker of the size that the guide says', async ({ sandbox }) => {
    await writeSite(sandbox, ['index.html'])
    const { stdout } = await sandbox.run(['site', 'add', 'dist', '--json', '--level', '1'])
    const { workerSize, firstVisit, storedSize } = JSON.parse(stdout.toString()) as Report
    const guide = await readFile(new URL('../../docs/guide/site.md', import.meta.url), 'utf8')
    const [, plain, gzipped] = /The worker has about (\d+) KiB, or (\d+) kB/.exec(guide) ?? []
    const example = /including (\d+) KiB for the service worker/.exec(guide)?.[1]

    expect(Math.abs(Number(plain) * 1024 / workerSize - 1)).toBeLessThan(0.03)
    expect(example).toBe(plain)
    // with the loader, of about a kilobyte
    expect(Math.abs(Number(gzipped) * 1000 / (firstVisit.compressedGzip - storedSize) - 1)).toBeLessThan(0.03)
  })

  it('adds the loader for each page, what stays plain, and the compressed tree', async ({ sandbox }) => {
    await writeSite(sandbox, ['index.html', 'sub/a.html', 'b.html', 'app.js', 'robots.txt', '.hidden'])
    const { stdout } = await sandbox.run(['site', 'add', 'dist', '--json', '--keep', 'b.html', '--level', '1'])
    const report = JSON.parse(stdout.toString()) as Report

    expect(report).toMatchObject({ files: 5, pages: 2, kept: 2, size: 250_000 })
    expect(report.storedSize).toBeLessThan(150_000)
    const { firstVisit, storedSize, loaderSize, workerSize } = report
    expect(firstVisit).toEqual({
      compressed: storedSize + loaderSize + workerSize,
      plain: 250_000,
      compressedGzip: expect.any(Number),
      plainGzip: 5 * gzipSync(text(50_000)).byteLength
    })
    expect(firstVisit.compressedGzip).toBeLessThan(firstVisit.compressed)

    const names = async (cid: string): Promise<string[]> =>
      (await sandbox.run(['ls', cid, '--json'])).stdout.toString().trim().split('\n')
        .map(line => (JSON.parse(line) as { name: string }).name)
    const read = async (path: string): Promise<Buffer> => (await sandbox.run(['cat', path])).stdout

    expect(await names(report.cid))
      .toEqual([
        '_redirects',
        'b.html',
        'index.html',
        'ipfs-404.html',
        'ipfsz-site',
        expect.stringMatching(/^ipfsz-worker-[0-9a-f]{16}\.js$/),
        'ipfsz-worker.js',
        'robots.txt',
        'sub'
      ])
    expect(await names(report.tree)).toEqual(['app.js', 'b.html', 'index.html', 'robots.txt', 'sub'])

    const loader = await read(`${report.cid}/index.html`)
    expect(loader.byteLength).toBe(report.loaderSize)
    expect((await read(`${report.cid}/sub/a.html`)).equals(loader)).toBe(true)
    expect((await read(`${report.cid}/ipfs-404.html`)).equals(loader)).toBe(true)
    expect((await read(`${report.cid}/ipfsz-worker.js`)).toString()).toContain(report.tree)
    // so that the next release has the same pages
    expect(loader.toString()).not.toContain(report.tree)
    expect((await read(`${report.cid}/b.html`)).equals(text(50_000))).toBe(true)
    expect((await read(`${report.tree}/sub/a.html`)).equals(text(50_000))).toBe(true)

    // it is pinned with all that it needs
    await sandbox.run(['gc'])
    expect((await sandbox.run(['verify', report.tree])).code).toBe(0)
    expect((await sandbox.run(['pin', 'ls'])).stdout.toString()).toContain(`${report.cid}\tdist`)
  })

  it('makes parts of large files cheap to read with --optimize ranges', async ({ sandbox }) => {
    await writeSite(sandbox, ['index.html'])
    await sandbox.write('dist/data.sqlite', text(300_000))
    const { stdout } = await sandbox.run([
      'site', 'add', 'dist', '--json', '--level', '1', '--optimize', 'ranges'
    ])
    const { tree } = JSON.parse(stdout.toString()) as Report
    const stat = await sandbox.run(['stat', `${tree}/data.sqlite`, '--json'])

    expect(JSON.parse(stat.stdout.toString())).toMatchObject({ frameSize: 65_536 })
  })

  it('stores once what its pages have in common with --dictionaries, which the worker reads', async ({ sandbox }) => {
    const head = Buffer.from(noise(3000)).toString('hex')
    const pages = ['index.html', ...Array.from({ length: 7 }, (_, i) => `${i}.html`)]
    await mkdir(join(sandbox.directory, 'dist'))
    await Promise.all(pages.map(async name => sandbox.write(`dist/${name}`, Buffer.from(`${head}<p>${name}`))))
    const add = async (...args: string[]): Promise<Report> =>
      JSON.parse((await sandbox.run(['site', 'add', 'dist', '--json', ...args])).stdout.toString()) as Report
    const [alone, shared] = [await add(), await add('--dictionaries')]

    expect(shared.storedSize).toBeLessThan(alone.storedSize / 4)
    // as the worker does
    const { storage } = await openRepo(sandbox.repo)
    const reader = ipfszReader({ blockstore: storage }, { codecs: [zstdDecoder()] })
    const read = await Array.fromAsync(reader.cat(CID.parse(shared.tree), { path: '3.html' }))
    expect(Buffer.concat(read).toString()).toBe(`${head}<p>3.html`)
  })

  it('says what a first visit fetches, and that a small site should stay plain', async ({ sandbox }) => {
    await writeSite(sandbox, ['index.html'])
    const { stdout } = await sandbox.run(['site', 'add', 'dist'])

    expect(stdout.toString()).toMatch(/^bafy\w+\tdist\n/)
    expect(stdout.toString()).toContain('1 page through the loader')
    expect(stdout.toString()).toContain('--codec none')
  })

  it('names the first page that is plain without what it needs, and what keeps that', async ({ sandbox }) => {
    await writeSite(sandbox, [
      'index.html', 'app.js', 'part.js', 'a b.png', 'large.png', 'print.css', 'font.woff2', 'icon', 'data.json'
    ])
    await sandbox.write('dist/sub/plain.html', Buffer.from('<link href="style.css" rel=stylesheet>' +
      '<link rel="alternate" href="/data.json"><img srcset="../a%20b.png 1x, /large.png 2x">' +
      '<script type="module" src="/app.js"></script><a href="/index.html"><img src="https://example.org/icon">' +
      '<img src="/icon"><img src="/none.png">'))
    await sandbox.write('dist/sub/style.css', Buffer.from('@import "../print.css"; p { src: url(/font.woff2) }'))
    await sandbox.write('dist/app.js', Buffer.from('import{a}from"./part.js"'))
    const add = async (...keep: string[]): Promise<string> => {
      const patterns = keep.flatMap(pattern => ['--keep', pattern])

      return (await sandbox.run(['site', 'add', 'dist', '--level', '1', ...patterns])).stdout.toString()
    }

    expect(await add()).not.toContain('uncompressed, but')
    expect(await add('plain.html'))
      .toContain("  sub/plain.html is uncompressed, but needs files that are not: also pass --keep '*.css' " +
        "--keep '*.js' --keep '*.png' --keep '/icon'\n")
    // what that needs in turn
    expect(await add('plain.html', '/icon', '*.png', '/sub/style.css', 'app.js'))
      .toContain("  app.js is uncompressed, but needs files that are not: also pass --keep '*.css' --keep '*.js' " +
        "--keep '*.woff2'\n")
    expect(await add('plain.html', '/icon', '*.png', '*.css', '*.js', '*.woff2')).not.toContain('uncompressed, but')

    await sandbox.write('dist/sub/other.html', Buffer.from('<img src="/icon">'))
    expect(await add('/sub/'))
      .toContain('sub/other.html and 1 other page are uncompressed, but need files that are not')
  })

  it('keeps more files than a process may open, but not its redirects, which the worker reads', {
    tags: 'slow'
  }, async ({ sandbox }) => {
    await writeSite(sandbox, ['index.html', '_redirects'])
    const names = Array.from({ length: 500 }, (_, i) => `dist/sub/${i}.txt`)
    await Promise.all(names.map(async name => sandbox.write(name, Buffer.from(name))))
    const { stderr, stdout } = await sandbox.shell(
      "ulimit -n 256; ipfsz site add dist --json --level 1 --keep '*'"
    )

    expect(stderr).toBe('')
    expect(JSON.parse(stdout.toString())).toMatchObject({ files: 502, pages: 0, kept: 501 })
  })

  it('has a small loader, also for a site with a long title', async ({ sandbox }) => {
    await writeSite(sandbox, [])
    await sandbox.write('dist/index.html', Buffer.from(`<title>${'a long title '.repeat(10_000)}</title>`))
    const { stdout } = await sandbox.run(['site', 'add', 'dist', '--json', '--level', '1'])

    expect((JSON.parse(stdout.toString()) as Report).loaderSize).toBeLessThan(8000)
  })

  it('refuses what is no site, or has one of its names', async ({ sandbox }) => {
    await writeSite(sandbox, ['app.js'])
    expect(await sandbox.run(['site', 'add', 'dist'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('dist has no index.html')
    })

    await symlink('app.js', join(sandbox.directory, 'dist/index.html'))
    expect(await sandbox.run(['site', 'add', 'dist'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('dist/index.html is not a regular file')
    })

    await rm(join(sandbox.directory, 'dist/index.html'))
    await writeSite(sandbox, ['index.html'])
    expect(await sandbox.run(['site', 'add', 'dist', '--ignore', '*.html'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('index.html is excluded by an ignore pattern, but a site needs it')
    })

  })

  it.for(['ipfsz-worker.js', 'ipfsz-site/a.html', '_redirects/a.html', 'ipfs-404.html/a.html'])(
    'refuses a site with %s, a name that it adds itself',
    async (name, { sandbox }) => {
      await mkdir(dirname(join(sandbox.directory, 'dist', name)), { recursive: true })
      await writeSite(sandbox, ['index.html', name])

      expect(await sandbox.run(['site', 'add', 'dist'])).toMatchObject({
        code: 2,
        stdout: Buffer.alloc(0),
        stderr: expect.stringContaining(`${name} has a name that is reserved in published sites`)
      })
    }
  )
})

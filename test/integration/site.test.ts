import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { it } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

interface Report {
  cid: string
  tree: string
  storedSize: number
  loaderSize: number
}

async function writeSite (sandbox: Sandbox, names: readonly string[]): Promise<void> {
  await mkdir(join(sandbox.directory, 'dist/sub'), { recursive: true })

  for (const name of names) {
    await sandbox.write(`dist/${name}`, text(50_000))
  }
}

describe('ipfsz site add', () => {
  it('adds the loader for each page, what stays plain, and the compressed tree', async ({ sandbox }) => {
    await writeSite(sandbox, ['index.html', 'sub/a.html', 'b.html', 'app.js', 'robots.txt', '.hidden'])
    const { stdout } = await sandbox.run(['site', 'add', 'dist', '--json', '--keep', 'b.html', '--level', '1'])
    const report = JSON.parse(stdout.toString()) as Report

    expect(report).toMatchObject({ files: 5, pages: 2, kept: 2, size: 250_000 })
    expect(report.storedSize).toBeLessThan(150_000)

    const names = async (cid: string): Promise<string[]> =>
      (await sandbox.run(['ls', cid, '--json'])).stdout.toString().trim().split('\n')
        .map(line => (JSON.parse(line) as { name: string }).name)
    const read = async (path: string): Promise<Buffer> => (await sandbox.run(['cat', path])).stdout

    expect(await names(report.cid))
      .toEqual(['_redirects', 'b.html', 'index.html', 'ipfsz-site', 'ipfsz-worker.js', 'robots.txt', 'sub'])
    expect(await names(report.tree)).toEqual(['app.js', 'b.html', 'index.html', 'robots.txt', 'sub'])

    const loader = await read(`${report.cid}/index.html`)
    expect(loader.byteLength).toBe(report.loaderSize)
    expect((await read(`${report.cid}/sub/a.html`)).equals(loader)).toBe(true)
    expect(loader.toString()).toContain(report.tree)
    expect((await read(`${report.cid}/b.html`)).equals(text(50_000))).toBe(true)
    expect((await read(`${report.tree}/sub/a.html`)).equals(text(50_000))).toBe(true)

    // it is pinned with all that it needs
    await sandbox.run(['gc'])
    expect((await sandbox.run(['verify', report.tree])).code).toBe(0)
    expect((await sandbox.run(['pin', 'ls'])).stdout.toString()).toContain(`${report.cid}\tdist`)
  })

  it('says what a first visit fetches, and that a small site should stay plain', async ({ sandbox }) => {
    await writeSite(sandbox, ['index.html'])
    const { stdout } = await sandbox.run(['site', 'add', 'dist'])

    expect(stdout.toString()).toMatch(/^bafy\w+\tdist\n/)
    expect(stdout.toString()).toContain('1 page through the loader')
    expect(stdout.toString()).toContain('--codec none')
  })

  it('refuses what is no site, or has one of its names', async ({ sandbox }) => {
    await writeSite(sandbox, ['app.js'])
    expect(await sandbox.run(['site', 'add', 'dist'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('dist has no index.html')
    })

    await writeSite(sandbox, ['index.html', 'ipfsz-worker.js'])
    expect(await sandbox.run(['site', 'add', 'dist'])).toMatchObject({
      code: 2,
      stdout: Buffer.alloc(0),
      stderr: expect.stringContaining('ipfsz-worker.js has a name that published sites need')
    })
  })
})

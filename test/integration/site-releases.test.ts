/** @module-tag long */
/** Releases of a site: CARs that are the same everywhere, and that differ from the last one by what changed. */
import { execFile } from 'node:child_process'
import { unlinkSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { publishSite } from '@ipfsz/site'
import { describe, expect, onTestFinished } from 'vitest'
import { noise, text } from '../support/data.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { SITE, SITE_TREES } from '../support/site-trees.ts'
import { waitForFiles } from './repo.ts'
import { finish, it } from './run-cli.ts'
import type { RunResult, Sandbox } from './run-cli.ts'

interface Report {
  cid: string
  tree: string
  storedSize: number
  newSize: number
  carSize: number
}

type Files = Readonly<Record<string, Uint8Array | string>>

const APP = Buffer.concat([noise(60_000), text(40_000)])
const NEXT = Buffer.concat([APP.subarray(0, 50_000), Buffer.from('changed'), APP.subarray(50_010)])

const FIRST: Files = {
  'index.html': '<!doctype html><title>Mine</title><script src="assets/app-1a2b3c4d.js"></script>',
  '_redirects': '/old /index.html 301\n',
  'robots.txt': 'User-agent: *\n',
  'assets/app-1a2b3c4d.js': APP,
  'data.json': text(30_000)
}
const SECOND: Files = {
  ...Object.fromEntries(Object.entries(FIRST).filter(([name]) => !name.startsWith('assets/'))),
  'assets/app-5e6f7a8b.js': NEXT
}

/** Names that files may have, but that mean something elsewhere, or that differ in case alone. */
const ODD: Files = Object.fromEntries([
  '..a', '...', 'a..', '%2e%2e', '-rf', '--car', 'a b', 'é', 'e\u0301', 'a\nb', 'a\\b', '*', '"', 'ipfs', '\u{1f4f7}',
  ...process.platform === 'linux' ? ['a.html', 'A.html', 'a.HTML'] : []
].map(name => [`odd/${name}`, `content of ${JSON.stringify(name)}`]))

async function write (sandbox: Sandbox, directory: string, files: Files): Promise<void> {
  await rm(join(sandbox.directory, directory), { recursive: true, force: true })

  for (const [name, bytes] of Object.entries(files)) {
    const path = join(sandbox.directory, directory, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
}

async function add (sandbox: Sandbox, ...args: string[]): Promise<Report> {
  const { code, stdout, stderr } = await sandbox.run(['site', 'add', ...args, '--json'])
  expect([code, stderr]).toEqual([0, ''])

  return JSON.parse(stdout.toString()) as Report
}

async function read (sandbox: Sandbox, path: string): Promise<Buffer> {
  return (await sandbox.run(['cat', path])).stdout
}

async function stat (sandbox: Sandbox, path: string): Promise<Record<string, unknown>> {
  return JSON.parse((await sandbox.run(['stat', path, '--json'])).stdout.toString()) as Record<string, unknown>
}

const car = async (sandbox: Sandbox, name: string): Promise<Buffer> => readFile(join(sandbox.directory, name))

function failure ({ code, stderr }: RunResult): string {
  expect(code).not.toBe(0)

  return stderr
}

describe('the CAR of a site', () => {
  it('has the same bytes whatever the order, times and modes of files, and the repo', async ({ sandbox }) => {
    const files = { ...FIRST, ...ODD }
    await write(sandbox, 'dist', files)
    const first = await add(sandbox, 'dist', '--car', 'a.car')

    await write(sandbox, 'dist', Object.fromEntries(Object.entries(files).toReversed()))

    for (const name of await readdir(join(sandbox.directory, 'dist'), { recursive: true })) {
      const path = join(sandbox.directory, 'dist', name)
      await utimes(path, 1, 1)
      await chmod(path, 0o755)
    }

    const other = await add(sandbox, 'dist', '--repo', 'other', '--car', 'b.car')

    expect(other.cid).toBe(first.cid)
    expect((await car(sandbox, 'a.car')).equals(await car(sandbox, 'b.car'))).toBe(true)
    expect((await car(sandbox, 'a.car')).byteLength).toBe(first.carSize)
  })

  it('has the same bytes whatever the directory is called, without a title too', async ({ sandbox }) => {
    for (const name of ['dist', 'build']) {
      await write(sandbox, name, { ...FIRST, 'index.html': '<p>no title</p>' })
      await add(sandbox, name, '--car', `${name}.car`)
    }

    expect((await car(sandbox, 'dist.car')).equals(await car(sandbox, 'build.car'))).toBe(true)
  })

  it('has files whose CIDs are the same on every machine, and in browsers', async ({ sandbox }) => {
    await write(sandbox, 'dist', SITE.first)
    const first = await add(sandbox, 'dist', '--car', 'a.car')
    await write(sandbox, 'dist', SITE.second)
    const second = await add(sandbox, 'dist', '--base', first.cid, '--car', 'b.car')

    // test/browser/deterministic.test.ts has them in Chromium
    expect({ first: first.tree, second: second.tree }).toEqual(SITE_TREES)
  })

  it('has all that is needed, with odd names, and its root is what gateways show', async ({ sandbox }) => {
    await write(sandbox, 'dist', { ...FIRST, ...ODD })
    const { cid, tree } = await add(sandbox, 'dist', '--car', 'a.car', '--hidden')
    const imported = await sandbox.run(['car', 'import', 'a.car', '--repo', 'other', '--json'])

    expect(JSON.parse(imported.stdout.toString())).toMatchObject({ plainCid: cid })
    expect((await sandbox.run(['verify', '--all', '--repo', 'other'])).code).toBe(0)
    expect((await sandbox.run(['get', tree, '--repo', 'other', '-o', 'out'])).code).toBe(0)

    for (const [name, bytes] of Object.entries({ ...FIRST, ...ODD })) {
      expect((await readFile(join(sandbox.directory, 'out', name))).equals(Buffer.from(bytes))).toBe(true)
    }
  })

  it('has in its uncompressed files what was compressed, if files change or vanish meanwhile', async ({ sandbox }) => {
    await write(sandbox, 'dist', { ...FIRST, 'kept/index.html': '<link rel="stylesheet" href="../data.json">' })
    const path = (name: string): string => join(sandbox.directory, 'dist', name)
    const { cid, tree } = await publishSite(sandbox.repo, join(sandbox.directory, 'dist'), {
      keep: ['/kept/'],
      onProgress (event) {
        // all files were read, and the pages are made
        if (event.type === 'ipfsz:step:begin' && event.detail.task === 'make-pages') {
          writeFileSync(path('robots.txt'), 'changed')
          unlinkSync(path('data.json'))
          unlinkSync(path('kept/index.html'))
        }
      }
    })

    expect((await read(sandbox, `${cid}/robots.txt`)).toString()).toBe(FIRST['robots.txt'])

    for (const name of ['robots.txt', 'kept/index.html']) {
      expect((await read(sandbox, `${cid}/${name}`)).equals(await read(sandbox, `${tree}/${name}`))).toBe(true)
    }
  })

  it('replaces a file only with --force, and nothing is added before', async ({ sandbox }) => {
    await write(sandbox, 'dist', FIRST)
    await sandbox.write('a.car', Buffer.from('mine'))

    expect(failure(await sandbox.run(['site', 'add', 'dist', '--car', 'a.car'])))
      .toContain('a.car: already exists: overwrite it with --force')
    expect((await car(sandbox, 'a.car')).toString()).toBe('mine')
    expect(await readdir(sandbox.directory)).not.toContain('repo')
    expect(failure(await sandbox.run(['site', 'add', 'dist', '--car', 'dist', '--force']))).toContain('is a directory')
    expect(failure(await sandbox.run(['site', 'add', 'dist', '--car', 'dist/new/x.car']))).toContain('is in the site')
    expect(failure(await sandbox.run(['site', 'add', 'dist', '--force']))).toContain('--force requires --car')
    expect(failure(await sandbox.run(['site', 'add', 'dist', '--car', '-']))).toContain('--car needs a file')

    const { carSize } = await add(sandbox, 'dist', '--car', 'a.car', '--force')
    expect((await car(sandbox, 'a.car')).byteLength).toBe(carSize)
  })

  it('is there as a whole or not at all if the command is killed while it writes', async ({ sandbox }) => {
    await write(sandbox, 'dist', { ...FIRST, 'large.bin': noise(60_000_000) })
    const child = sandbox.start(['site', 'add', 'dist', '--car', 'a.car', '--level', '1'])
    const ended = finish(child)
    // the site, the repo, and what is not complete yet
    await waitForFiles(sandbox.directory, 3)
    child.kill('SIGKILL')
    await ended
    expect(await readdir(sandbox.directory)).not.toContain('a.car')

    const { carSize } = await add(sandbox, 'dist', '--car', 'a.car', '--level', '1')
    expect((await car(sandbox, 'a.car')).byteLength).toBe(carSize)
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['a.car', 'dist', 'repo'])
  })

  it.skipIf(process.platform !== 'linux')('leaves nothing behind on a disk that fills', async ({ sandbox }) => {
    await write(sandbox, 'dist', { ...FIRST, 'large.bin': noise(3_000_000) })
    await mkdir(join(sandbox.directory, 'disk'))
    const user = process.getuid?.() === 0 ? '' : '--user --map-root-user'
    const { stdout, stderr } = await sandbox.shell(
      `unshare ${user} --mount sh -c 'mount -t tmpfs -o size=1m none disk; ` +
        "ipfsz site add dist --level 1 --car disk/a.car; echo $?; ls -A disk'"
    )

    expect(stderr).toMatch(/the disk is full/)
    expect(stdout.toString()).toBe('1\n')
  })
})

describe('the next release of a site', () => {
  it('stores what changed, whichever way the last one is named', async ({ sandbox }) => {
    await write(sandbox, 'dist', FIRST)
    const first = await add(sandbox, 'dist', '--base', 'latest')
    await write(sandbox, 'dist', SECOND)
    const results: Report[] = []

    for (const base of ['latest', first.cid, first.tree, `${first.cid}/ipfsz-site`, `/ipfs/${first.tree}`]) {
      const next = await add(sandbox, 'dist', '--base', base)
      results.push(next)

      expect(next.storedSize).toBeLessThan(11_000)
      expect((await read(sandbox, `${next.tree}/assets/app-5e6f7a8b.js`)).equals(NEXT)).toBe(true)
    }

    expect(new Set(results.map(({ cid }) => cid)).size).toBe(1)
    // the script has another name, and refers to the one that is gone
    const { plainCid: base } = await stat(sandbox, `${first.tree}/assets/app-1a2b3c4d.js`)
    expect(await stat(sandbox, `${results[0].tree}/assets/app-5e6f7a8b.js`)).toMatchObject({ base, frames: 1 })
    // of the worker, too, little is new, and of the pages nothing
    expect(results[0].newSize).toBeLessThan(4000)
    expect(results[0].newSize).toBeGreaterThan(1000)
    expect(results[1].newSize).toBe(0)
    expect((await sandbox.run(['log', 'dist'])).stdout.toString().trim().split('\n')).toHaveLength(2)
  })

  it('finds the last one by the DNSLink of a domain', async ({ sandbox }) => {
    await write(sandbox, 'dist', FIRST)
    const { cid } = await add(sandbox, 'dist')
    const { address, asked, close } = await startDnsServer({ '_dnslink.site.example': `dnslink=/ipfs/${cid}` })
    onTestFinished(close)
    await write(sandbox, 'dist', SECOND)
    const addNext = async (domain: string): Promise<RunResult> =>
      sandbox.spawn(['site', 'add', 'dist', '--base', domain, '--json'], {
        preload: 'dns-server.ts',
        // all blocks are here, so it is not asked
        env: { DNS_SERVER: address, IPFSZ_GATEWAYS: 'http://127.0.0.1:9' }
      })

    for (const domain of ['site.example', '/ipns/site.example', 'site.example/ipfsz-site']) {
      const { stdout, stderr } = await addNext(domain)

      expect(stderr).toBe('')
      expect((JSON.parse(stdout.toString()) as Report).newSize).toBeLessThan(4000)
    }

    expect(asked).toEqual(['_dnslink.site.example', '_dnslink.site.example', '_dnslink.site.example'])
    expect(failure(await addNext('other.example'))).toContain('other.example has no DNSLink')
  })

  it('finds the last one by the DNSLink of a domain in a program that says whom to ask', async ({ sandbox }) => {
    await write(sandbox, 'dist', FIRST)
    const { cid } = await add(sandbox, 'dist')
    const { address, asked, close } = await startDnsServer({ '_dnslink.site.example': `dnslink=/ipfs/${cid}` })
    onTestFinished(close)
    await write(sandbox, 'dist', SECOND)
    const publish = async (network: string): Promise<string> => {
      const program = `
        const { publishSite } = await import(${JSON.stringify(import.meta.resolve('@ipfsz/site'))})
        const site = await publishSite('repo', 'dist', { base: 'site.example', ${network} })
        console.log(site.newSize)
      `
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--import', join(import.meta.dirname, 'preload/dns-server.ts'), '--input-type=module', '--eval', program
      ], { cwd: sandbox.directory, env: { ...process.env, DNS_SERVER: address } })

      return stdout
    }

    // all blocks are here, so it is not asked
    expect(Number(await publish("network: { gateways: ['http://127.0.0.1:9'] }"))).toBeLessThan(4000)
    expect(asked).toEqual(['_dnslink.site.example'])
    await expect(publish('')).rejects.toThrow('no other node can be asked')
    expect(asked).toHaveLength(1)
  })

  it('has the same CAR on another machine that has the last one', async ({ sandbox }) => {
    await write(sandbox, 'dist', FIRST)
    const { cid } = await add(sandbox, 'dist', '--car', 'first.car')
    await write(sandbox, 'dist', SECOND)
    await add(sandbox, 'dist', '--base', cid, '--car', 'a.car')
    await sandbox.run(['car', 'import', 'first.car', '--repo', 'other'])
    await add(sandbox, 'dist', '--base', cid, '--car', 'b.car', '--repo', 'other')

    expect((await car(sandbox, 'a.car')).equals(await car(sandbox, 'b.car'))).toBe(true)
    // a node that has nothing reads all of it
    await sandbox.run(['car', 'import', 'a.car', '--repo', 'new'])
    expect((await sandbox.run(['verify', '--all', '--repo', 'new'])).code).toBe(0)
  })

  it('is stored in full again where little of the last one is left, and of another site', async ({ sandbox }) => {
    await write(sandbox, 'dist', FIRST)
    const first = await add(sandbox, 'dist')
    const rewritten = Buffer.concat([noise(80_000, 5), APP.subarray(50_000)])
    await write(sandbox, 'dist', { ...FIRST, 'assets/app-1a2b3c4d.js': rewritten })
    const second = await add(sandbox, 'dist', '--base', first.cid)
    await write(sandbox, 'dist', { ...FIRST, 'assets/app-1a2b3c4d.js': Buffer.concat([rewritten, Buffer.from('x')]) })
    const third = await add(sandbox, 'dist', '--base', second.cid)
    expect(await stat(sandbox, `${third.tree}/assets/app-1a2b3c4d.js`)).not.toHaveProperty('base')

    const other = { 'index.html': text(5000), 'a.js': noise(20_000, 9) }
    await write(sandbox, 'other', other)
    const { tree } = await add(sandbox, 'other', '--base', first.cid)
    expect((await read(sandbox, `${tree}/a.js`)).equals(Buffer.from(other['a.js']))).toBe(true)
  })

  it('is stored in full, with a warning, if the latest one was collected', async ({ sandbox }) => {
    await write(sandbox, 'dist', FIRST)
    const first = await add(sandbox, 'dist', '--base', 'latest')
    await sandbox.run(['pin', 'rm', first.cid])
    expect((await sandbox.run(['gc', '--force'])).code).toBe(0)
    await write(sandbox, 'dist', SECOND)
    const { code, stdout, stderr } = await sandbox.run(['site', 'add', 'dist', '--base', 'latest', '--json'])
    const { tree, newSize } = JSON.parse(stdout.toString()) as Report

    expect(code).toBe(0)
    expect(stderr).toContain('the repo no longer has a version of dist: it is stored in full')
    expect(newSize).toBeGreaterThan(APP.byteLength / 2)
    expect((await read(sandbox, `${tree}/assets/app-5e6f7a8b.js`)).equals(NEXT)).toBe(true)
    // and it is the latest one from now on
    expect((await add(sandbox, 'dist', '--base', 'latest')).newSize).toBe(0)
  })

  it('is published by two at once, who both have all of it', async ({ sandbox }) => {
    await write(sandbox, 'dist', FIRST)
    await add(sandbox, 'dist', '--base', 'latest')
    await write(sandbox, 'dist', SECOND)
    const cars = ['a.car', 'b.car']
    const results = await Promise.all(cars.map(async car =>
      sandbox.spawn(['site', 'add', 'dist', '--base', 'latest', '--car', car, '--json'])))
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([[0, ''], [0, '']])

    const trees = results.map(({ stdout }) => (JSON.parse(stdout.toString()) as Report).tree)
    expect((await sandbox.run(['verify', '--all'])).code).toBe(0)

    for (const [i, car] of cars.entries()) {
      await sandbox.run(['car', 'import', car, '--repo', car.slice(0, 1)])
      const got = await sandbox.run(['cat', `${trees[i]}/assets/app-5e6f7a8b.js`, '--repo', car.slice(0, 1)])
      expect(got.stdout.equals(NEXT)).toBe(true)
    }
  })

  it('is refused if the last one is gone, is a file, or is no directory of the repo', async ({ sandbox }) => {
    await write(sandbox, 'dist', FIRST)
    const file = await sandbox.add(text(5000))
    const gone = 'bafybeidr22wyfwuzcna777niq4dempohfyntwpwqhebwhr2kqnmk6mfvei'
    const pins = (await sandbox.run(['pin', 'ls'])).stdout.toString()

    for (const [base, said] of [[gone, /not found/i], [file, /it is a file/], ['nonsense', /nonsense/]] as const) {
      expect(failure(await sandbox.run(['site', 'add', 'dist', '--base', base, '--car', 'a.car']))).toMatch(said)
    }

    expect(failure(await sandbox.run(['site', 'add', 'dist', '--base', 'latest', '--dictionaries'])))
      .toContain('--dictionaries cannot be combined with --base')
    expect((await sandbox.run(['pin', 'ls'])).stdout.toString()).toBe(pins)
    expect(await readdir(sandbox.directory)).not.toContain('a.car')
  })

  it('is read from a base that is larger than the window of a frame', async ({ sandbox }) => {
    const large = noise(17_000_000)
    await write(sandbox, 'dist', { ...FIRST, 'large.bin': large })
    const first = await add(sandbox, 'dist', '--level', '1')
    const next = Buffer.concat([Buffer.from('more'), large])
    await write(sandbox, 'dist', { ...FIRST, 'large.bin': next })
    const { tree } = await add(sandbox, 'dist', '--level', '1', '--base', first.cid)

    expect((await read(sandbox, `${tree}/large.bin`)).equals(next)).toBe(true)
  })
})

/** @module-tag long */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** What takes long to load, and that only a node needs which others can reach. */
const HEAVY =
  /node_modules\/(?:@libp2p\/(?!interface|logger)|libp2p|@helia\/(?!interface|unixfs)|helia|@chainsafe)\/|\.node$/

/** The modules that a program loads, in a process of its own. */
async function modulesOf (program: string): Promise<string[]> {
  const hooks = `
    import { registerHooks } from 'node:module'
    export const loaded = []
    registerHooks({ load (url, context, next) { loaded.push(url); return next(url, context) } })
    const dlopen = process.dlopen
    process.dlopen = (...args) => { loaded.push(args[1]); return dlopen.apply(process, args) }
  `
  const text = `
    const { loaded } = await import('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hooks))})
    ${program}
    process.stdout.write(JSON.stringify(loaded))
  `
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', text],
    { cwd: import.meta.dirname, maxBuffer: 16 * 1024 * 1024 }
  )

  return JSON.parse(stdout) as string[]
}

it('an import of the package loads nothing but a few files of it', async () => {
  const modules = (await modulesOf('await import("@ipfsz/node")')).filter(url => !url.startsWith('node:'))

  expect(modules.length).toBeLessThanOrEqual(4)
  expect(modules.every(url => /\/packages\/(?:node|utils)\/dist\//.test(url))).toBe(true)
})

it.each(['add/add-files', 'tree/small-files'])('threads of %s load what they use, not all of core', async name => {
  const program = new URL(`../dist/${name}.thread.js`, import.meta.url).href
  // it fails, as it is no thread here, once it is loaded
  const modules = await modulesOf(`
    process.on('unhandledRejection', () => {})
    await import(${JSON.stringify(program)}).catch(() => {})
  `)

  expect(modules).toContain(program)
  expect(modules.filter(url => /core\/dist\/(?:index\.js|commands|fetch|write\/write)|exporter/.test(url))).toEqual([])
  expect(modules.length).toBeLessThan(300)
})

it('a program that adds and reads loads neither a node nor an addon', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-light-'))

  try {
    const modules = await modulesOf(`
      const { openRepo } = await import('@ipfsz/node')
      const repo = await openRepo(${JSON.stringify(directory)})
      const { cid } = await repo.add(new TextEncoder().encode('hello '.repeat(1000)))
      for await (const _ of repo.files.cat(cid)) {}
      await repo.close()
    `)

    expect(modules.length).toBeGreaterThan(50)
    expect(modules.filter(url => HEAVY.test(url))).toEqual([])
  } finally {
    await rm(directory, { recursive: true })
  }
})

it.each([
  [false, 'does not load', 0],
  [true, 'loads', 1]
])('a node with compressConnections %s %s the package that compresses', async (wanted, _, times) => {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-light-'))

  try {
    const modules = await modulesOf(`
      const { openNode } = await import('@ipfsz/node/network')
      const node = await openNode(${JSON.stringify(directory)}, {
        listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: [], compressConnections: ${wanted}
      })
      await node.stop()
    `)

    expect(modules.filter(url => url.includes('/libp2p-compression/dist/index.js'))).toHaveLength(times)
  } finally {
    await rm(directory, { recursive: true })
  }
})

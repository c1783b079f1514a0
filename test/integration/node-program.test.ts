/** @module-tag long */
/** `examples/node-program`: a server that keeps uploads, compressed, and serves them. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openRepo } from '@ipfsz/node'
import { expect, it, onTestFinished } from 'vitest'

const SERVER = join(import.meta.dirname, '../../examples/node-program/server.ts')
const WORDS = Array.from({ length: 100_000 }, (_, i) => i * 7919 % 10_007).join(' ')

async function start (directory: string): Promise<{ port: number, stop: () => Promise<void> }> {
  const server = spawn(process.execPath, [SERVER, directory, '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  const stop = async (): Promise<void> => {
    server.kill()
    expect(await ended).toEqual([0, null])
  }

  onTestFinished(() => { server.kill('SIGKILL') })

  for await (const line of createInterface(server.stdout)) {
    const [, port] = /port: (\d+)/.exec(line) ?? []

    if (port != null) {
      return { port: Number(port), stop }
    }
  }

  throw new Error('The server ended before it listened')
}

/** The bytes as they are sent, and their encoding. */
async function sent (port: number, path: string): Promise<{ encoding: string | undefined, bytes: number }> {
  const headers = { 'accept-encoding': 'zstd', connection: 'close' }
  const asked = request({ host: '127.0.0.1', port, path, headers }).end()
  const [response] = await once(asked, 'response')
  const chunks = await Array.fromAsync(response as AsyncIterable<Uint8Array>)

  return {
    encoding: response.headers['content-encoding'],
    bytes: chunks.reduce((total, { byteLength }) => total + byteLength, 0)
  }
}

it('the server keeps uploads, compressed and pinned, and serves them as they are stored', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-program-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })
  const { port, stop } = await start(directory)
  const url = `http://127.0.0.1:${port}`
  const headers = { connection: 'close' }

  const uploaded = await fetch(`${url}/words.txt`, { method: 'POST', body: WORDS, headers })
  const [cid, size, storedSize] = (await uploaded.text()).trim().split('\t')

  expect(uploaded.status).toBe(201)
  expect(Number(size)).toBe(WORDS.length)
  expect(Number(storedSize)).toBeLessThan(WORDS.length / 2)
  expect(await (await fetch(`${url}/ipfs/${cid}`, { headers })).text()).toBe(WORDS)

  const { encoding, bytes } = await sent(port, `/ipfs/${cid}`)

  expect(encoding).toBe('zstd')
  expect(bytes).toBeLessThan(WORDS.length / 2)

  const upload = request({
    host: '127.0.0.1',
    port,
    path: '/',
    method: 'POST',
    headers: { 'content-length': 1000, ...headers }
  })
  upload.on('error', () => {}).write('half')
  upload.destroy()
  await stop()

  const repo = await openRepo(directory, { create: false })

  const pins = await Array.fromAsync(repo.pins.ls())

  // what was not uploaded completely is not there
  expect(pins).toMatchObject([{ name: 'words.txt' }])
  expect(Buffer.concat(await Array.fromAsync(repo.files.cat(pins[0].cid))).toString()).toBe(WORDS)
  await repo.close()
})

it('keeps what is pinned in a shared store, and collects the rest: examples/shared-store/first-program.ts', () => {
  const program = join(import.meta.dirname, '../../examples/shared-store/first-program.ts')

  expect(execFileSync(process.execPath, [program], { encoding: 'utf8' })).toBe('1 deleted, 1 kept\n')
})

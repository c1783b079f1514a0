import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { progress } from '../../benchmark.ts'
import { isInstalled } from './load.ts'
import { startNginx } from './nginx.ts'
import { createRepo, environment, hasKubo, startKubo } from '../kubo.ts'
import { runCommand } from '../run-command.ts'
import { addByCommand, printedBy, startCommandGateway } from '../network/command.ts'
import { childrenOf, processCpu } from '../process-cpu.ts'
import type { IncomingMessage } from 'node:http'

/** What every client asks with. */
export const HEADERS = { 'accept-encoding': 'zstd' }

export const OURS = 'ipfsz gateway'
export const NGINX = 'nginx, compressed before'
export const KUBO = 'Kubo'

/** A server that is measured. */
export interface Server {
  name: string
  /** Where a file is served. */
  url (file: string): string
  /** Processor time of all its processes so far, in milliseconds. */
  cpu (): Promise<number>
  stop (): Promise<void>
}

/** A response as it arrived. */
export interface Wire {
  /** Bytes of headers and body. */
  bytes: number
  encoding: string | undefined
  body: Buffer
}

/**
 * Start all servers that are installed, with the same files: `ipfsz gateway`, nginx with what that one answers, and
 * Kubo with the files as they are.
 */
export async function startServers (files: readonly string[], directory: string): Promise<Server[]> {
  const ours = await startOurs(files, join(directory, 'ipfsz'))
  const servers = [ours]

  try {
    for (const [name, program, has, start] of [
      [NGINX, 'nginx', await isInstalled('nginx'), startPlain],
      [KUBO, 'ipfs', await hasKubo(), startKuboGateway]
    ] as const) {
      if (has) {
        servers.push(await start(files, join(directory, program), ours))
      } else {
        progress(`${name} is not measured: it is not installed`)
      }
    }

    return servers
  } catch (err) {
    await Promise.all(servers.map(async server => server.stop()))
    throw err
  }
}

/** Ask for a URL once, without decompressing the answer. */
export async function ask (url: string): Promise<Wire> {
  const asked = request(url, { headers: HEADERS, agent: false }).end()
  const [response] = await once(asked, 'response') as [IncomingMessage]
  const { statusCode, statusMessage, httpVersion, rawHeaders, headers } = response
  const body = await buffer(response)

  if (statusCode !== 200) {
    throw new Error(`${url} was answered with ${statusCode}: ${body.subarray(0, 1000).toString()}`)
  }

  const lines = rawHeaders.reduce((total, text) => total + text.length + 2, 0)
  const start = `HTTP/${httpVersion} ${statusCode} ${statusMessage}\r\n\r\n`.length

  return { bytes: start + lines + body.byteLength, encoding: headers['content-encoding'], body }
}

async function startOurs (files: readonly string[], repo: string): Promise<Server> {
  await printedBy(['init', '--repo', repo])

  const cids = new Map<string, string>()

  for (const file of files) {
    cids.set(file, (await addByCommand(repo, file)).cid)
  }

  const { url, pid, stop } = await startCommandGateway(repo)

  return { name: OURS, url: file => `${url}/ipfs/${cids.get(file)}`, cpu: async () => processCpu(pid), stop }
}

async function startPlain (files: readonly string[], directory: string, ours: Server): Promise<Server> {
  const { url, pid, put, stop } = await startNginx(directory)
  const names = new Map<string, string>()

  for (const [i, file] of files.entries()) {
    const { body, encoding } = await ask(ours.url(file))
    const name = encoding === 'zstd' ? `${i}.zst` : String(i)
    await put(name, body)
    names.set(file, name)
  }

  return {
    name: NGINX,
    url: file => `${url}/${names.get(file)}`,
    cpu: async () => {
      const times = await Promise.all([pid, ...await childrenOf(pid)].map(processCpu))

      return times.reduce((total, time) => total + time, 0)
    },
    stop
  }
}

async function startKuboGateway (files: readonly string[], repo: string): Promise<Server> {
  const cids = new Map<string, string>()
  await createRepo(repo)

  for (const file of files) {
    cids.set(file, (await runCommand(`ipfs add --offline -Q '${file}'`, environment(repo))).stdout)
  }

  const { gateway, cpu, stop } = await startKubo(repo, ['--offline'])

  return { name: KUBO, url: file => `${gateway}/ipfs/${cids.get(file)}`, cpu, stop }
}

/** The bytes that a client gets from a response. */
export async function original (url: string): Promise<Buffer> {
  const response = await fetch(url, { headers: HEADERS })

  return Buffer.from(await response.arrayBuffer())
}

/** @throws {Error} a server answers with anything else than the file */
export async function checkServers (servers: readonly Server[], files: readonly string[]): Promise<void> {
  for (const file of files) {
    const bytes = await readFile(file)

    for (const server of servers) {
      if (!bytes.equals(await original(server.url(file)))) {
        throw new Error(`${server.name} answers with other bytes than those of ${file}`)
      }
    }
  }
}

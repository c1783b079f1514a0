/**
 * Adds what clients post to a host, with `ipfsz add`: the daemon takes no files over HTTP. The time of an add includes
 * the start of the command. `daemon-sides.ts` starts it in a network namespace.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { API_PORT } from './messages.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/ipfsz.js', import.meta.url))
const repo = process.argv[2]

createServer((request, response) => {
  add(request, response).catch((err: Error) => { response.writeHead(500).end(`${err.name}: ${err.message}`) })
}).listen(API_PORT, '0.0.0.0', () => { process.stdout.write('ready\n') })

async function add (request: IncomingMessage, response: ServerResponse): Promise<void> {
  const child = spawn(process.execPath, [COMMAND, 'add', '-Q', '--repo', repo, '-'], {
    stdio: ['pipe', 'pipe', 'inherit']
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  const [cid] = await Promise.all([text(child.stdout), pipeline(request, child.stdin)])
  const [code] = await ended

  response.writeHead(code === 0 ? 200 : 500).end(cid.trim())
}

/**
 * Adds what clients post to a host with a command, which it starts for each: its arguments are the command. It stands
 * for whoever works on that host. `start-process.ts` starts it in a network namespace.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { COMMAND_PORT } from './messages.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

const [program, ...args] = process.argv.slice(2)

createServer((request, response) => {
  add(request, response).catch((err: Error) => { response.writeHead(500).end(`${err.name}: ${err.message}`) })
}).listen(COMMAND_PORT, '0.0.0.0', () => { process.stdout.write('ready\n') })

async function add (request: IncomingMessage, response: ServerResponse): Promise<void> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close') as Promise<[number | null]>
  const [cid] = await Promise.all([text(child.stdout), pipeline(request, child.stdin)])
  const [code] = await ended

  response.writeHead(code === 0 ? 200 : 500).end(cid.trim())
}

/** The client of a site. `clients.ts` starts it in a network namespace, and writes jobs to it, one a line. */
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { API_PORT, COMMAND_PORT, GATEWAY_PORT } from './messages.ts'
import { bytesOf } from './object-bytes.ts'
import type { Job, Outcome } from './messages.ts'

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line) as Job))}\n`)
}

async function run (job: Job): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  // made before the clock starts
  const objects = job.items.map(item => bytesOf(item))
  const rest = job.items.entries()
  // a connection that was closed meanwhile is not used again
  await setImmediate()
  await setImmediate()

  await Promise.all(Array.from({ length: job.concurrency }, async () => {
    for (const [i, item] of rest) {
      const start = performance.now()

      try {
        const { check, cid } = await (job.kind === 'read' ? read(job, item) : write(job, item, objects[i]))
        outcomes[i] = { wall: performance.now() - start, cid }
        check?.(objects[i])
      } catch (err) {
        outcomes[i] = { wall: performance.now() - start, failure: reason(err) }
      }
    }
  }))

  return outcomes
}

interface Done {
  cid?: string
  /** Compares what was read, after the clock has stopped. */
  check?: (expected: Uint8Array) => void
}

async function write ({ api, kind, timeout }: Job, { node }: { node: string }, bytes: Uint8Array): Promise<Done> {
  const signal = AbortSignal.timeout(timeout)
  const isCommand = kind === 'write by a command'
  const url = `http://${node}:${isCommand ? COMMAND_PORT : API_PORT}`

  if (isCommand || api !== 'kubo') {
    return { cid: await (await ask(`${url}/add`, { method: 'POST', body: bytes as BodyInit, signal })).text() }
  }

  const form = new FormData()
  form.set('file', new Blob([bytes as BlobPart]))
  const response = await ask(`${url}/api/v0/add?cid-version=1&pin=false`, { method: 'POST', body: form, signal })

  return { cid: (await response.json() as { Hash: string }).Hash }
}

async function read ({ api, timeout }: Job, { node, cid = '' }: { node: string, cid?: string }): Promise<Done> {
  const [method, url] = ({
    kubo: ['POST', `http://${node}:${API_PORT}/api/v0/cat?arg=${cid}`],
    node: ['POST', `http://${node}:${API_PORT}/cat?arg=${cid}`],
    ipfsz: ['GET', `http://${node}:${GATEWAY_PORT}/ipfs/${cid}`]
  } as const)[api]
  const response = await ask(url, { method, signal: AbortSignal.timeout(timeout) })
  const bytes = Buffer.from(await response.arrayBuffer())

  return {
    check: expected => {
      if (!bytes.equals(expected)) {
        throw new Error(`read ${bytes.byteLength} other bytes than were written`)
      }
    }
  }
}

async function ask (url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)

  if (!response.ok) {
    throw new Error(`${response.status}: ${await response.text()}`)
  }

  return response
}

function reason (err: unknown): string {
  const { name, message, cause } = err as Error

  return cause instanceof Error ? `${name}: ${message}: ${cause.message}` : `${name}: ${message}`
}

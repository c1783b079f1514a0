/**
 * Writes what clients post to it as files of a MiB, so that they survive a loss of power, and does nothing else: it
 * neither hashes nor compresses, and what it wrote cannot be read. Its argument is a directory. `bare-sides.ts` starts
 * it in a network namespace.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { API_PORT } from './messages.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Bytes of a file: those of a leaf. */
const FILE_SIZE = 1024 * 1024

const directory = process.argv[2]
const temporary = join(directory, '.tmp')
await mkdir(temporary, { recursive: true })

createServer((request, response) => {
  add(request, response).catch((err: Error) => { response.writeHead(500).end(`${err.name}: ${err.message}`) })
}).listen(API_PORT, '0.0.0.0', () => { process.stdout.write('ready\n') })

/** Each file is written while the bytes of the next arrive. */
async function add (request: IncomingMessage, response: ServerResponse): Promise<void> {
  const writing: Array<Promise<void>> = []
  let parts: Buffer[] = []
  let size = 0

  for await (let bytes of request as AsyncIterable<Buffer>) {
    while (size + bytes.byteLength >= FILE_SIZE) {
      const end = FILE_SIZE - size
      writing.push(writeFile([...parts, bytes.subarray(0, end)]))
      bytes = bytes.subarray(end)
      parts = []
      size = 0
    }

    parts.push(bytes)
    size += bytes.byteLength
  }

  if (size > 0) {
    writing.push(writeFile(parts))
  }

  await Promise.all(writing)
  await syncNames()
  response.end(randomUUID())
}

async function writeFile (parts: readonly Buffer[]): Promise<void> {
  const name = randomUUID()
  const unfinished = join(temporary, name)
  const file = await open(unfinished, 'wx')
  await file.writev(parts)
  await file.datasync()
  await file.close()
  await rename(unfinished, join(directory, name))
}

async function syncNames (): Promise<void> {
  const handle = await open(directory)
  await handle.sync()
  await handle.close()
}

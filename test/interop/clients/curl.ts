import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../support/tools.ts'
import { COMPARED_HEADERS } from './in-client.ts'
import type { Answer, Asked, Reading } from './in-client.ts'

/** It decompresses what it asks for, and does not look at certificates. */
const OPTIONS = ['--silent', '--show-error', '--compressed', '--insecure']

/** Read what is asked for, with one curl. */
export async function readAllWithCurl (asked: Asked[]): Promise<Answer[]> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-curl-'))
  const path = (i: number, name: string): string => join(directory, `${i}-${name}`)

  try {
    await run('curl', asked.flatMap(({ url, headers = {} }, i) => {
      const all = [...OPTIONS, ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])]

      return [
        ...i === 0 ? [] : ['--next'], ...all, '--output', path(i, 'body'), '--dump-header', path(i, 'headers'), url,
        '--next', ...all, '--head', '--output', path(i, 'head'), url
      ]
    }))

    return await Promise.all(asked.map(async (_, i) => {
      // curl makes no file for a body of no bytes
      const body = await readFile(path(i, 'body')).catch(() => Buffer.alloc(0))

      return answerOf(body, await readFile(path(i, 'headers'), 'utf8'), await readFile(path(i, 'head'), 'utf8'))
    }))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function answerOf (body: Buffer, text: string, headText: string): Answer {
  const [headers, head] = [text, headText].map(parseHeaders)

  return {
    status: Number(/^HTTP\/\S+ (\d+)/.exec(text)?.[1]),
    encoding: headers.get('content-encoding') ?? 'identity',
    length: headers.get('content-length'),
    bytes: body.byteLength,
    sha256: createHash('sha256').update(body).digest('hex'),
    protocol: text.startsWith('HTTP/2 ') ? 'h2' : 'http/1.1',
    unlikeHead: COMPARED_HEADERS.filter(name => headers.get(name) !== head.get(name))
  }
}

function parseHeaders (text: string): Headers {
  const lines = text.split('\r\n').slice(1).filter(Boolean)

  return new Headers(lines.map(line => line.split(/: ?(.*)/s, 2) as [string, string]))
}

/** Begin to read bodies, each with a curl of its own. */
export function startReadingWithCurl (asked: Asked[]): Reading[] {
  return asked.map(({ url }) => {
    const reading: Reading = { received: 0 }
    const child = spawn('curl', [...OPTIONS, '--no-buffer', url], { stdio: ['ignore', 'pipe', 'ignore'] })

    child.stdout.on('data', (bytes: Buffer) => { reading.received += bytes.byteLength })
    child.once('error', () => { reading.ended = 'error' })
    child.once('close', code => { reading.ended = code === 0 ? 'whole' : 'error' })

    return reading
  })
}

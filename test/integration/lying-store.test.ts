/**
 * An S3 server that lies: about sizes, ETags, lists, and what an object is. Nothing wrong is read or called stored.
 *
 * @module-tag slow
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { text } from '../support/data.ts'
import { BUCKET, fakeS3 } from '../support/fake-s3.ts'
import { expectSuccess, it } from './run-cli.ts'
import type { FakeS3, Fault, Seen } from '../support/fake-s3.ts'

/** Changes an answer of the store before it is sent. */
type Lie = (answer: { headers: Record<string, string | number>, body: Buffer }, seen: Seen) => void

const isList = ({ method, key }: Seen): boolean => method === 'GET' && key === ''
const isObject = ({ method, key }: Seen): boolean => method === 'GET' && /\/(?:blocks|packs)\//.test(key)

function listed (change: (xml: string) => string): Lie {
  return (answer, seen) => {
    if (isList(seen)) {
      answer.body = Buffer.from(change(answer.body.toString()))
    }
  }
}

function read (change: (bytes: Buffer) => Buffer): Lie {
  return (answer, seen) => {
    if (isObject(seen)) {
      answer.body = change(answer.body)
    }
  }
}

const LIES: Readonly<Record<string, Lie>> = {
  'sizes of 0': listed(xml => xml.replaceAll(/<Size>\d+/g, '<Size>0')),
  'sizes of one byte more': listed(xml => xml.replaceAll(/<Size>(\d+)/g, (_, size) => `<Size>${Number(size) + 1}`)),
  'sizes beyond all numbers': listed(xml => xml.replaceAll(/<Size>\d+/g, '<Size>99999999999999999999')),
  'negative sizes': listed(xml => xml.replaceAll(/<Size>\d+/g, '<Size>-5')),
  'lists without anything': listed(xml => xml.replaceAll(/<Contents>.*<\/Contents>/gs, '')),
  'other names in lists': listed(xml => xml.replaceAll(/(<Key>[^<]*)./g, '$1')),
  'bytes that changed': read(bytes => Buffer.from(bytes.map(byte => byte ^ 1))),
  'the half of an object': read(bytes => bytes.subarray(0, bytes.byteLength >> 1)),
  'no bytes': read(() => Buffer.alloc(0)),
  'more bytes': read(bytes => Buffer.concat([bytes, bytes])),
  'ETags of other bytes': answer => { answer.headers.etag = '"d41d8cd98f00b204e9800998ecf8427e"' },
  'no ETags': answer => { delete answer.headers.etag },
  'ETags that are none': answer => { answer.headers.etag = 'x'.repeat(5000) },
  'another range': answer => {
    if (answer.headers['content-range'] != null) {
      answer.headers['content-range'] = 'bytes 1-2/3'
    }
  }
}

const COMMANDS = ['cat CID', 'get CID -o OUT', 'ls CID', 'verify --all', 'stats', 'add FILE', 'gc', 'pin ls'] as const

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b')
})
afterAll(() => { vi.unstubAllEnvs() })

/** The store answers, and the answer is changed. */
function lying (lie: Lie): Fault {
  return (response, seen, answer) => {
    const { end } = response
    response.writeHead = function (this: typeof response, status: number, headers: Record<string, string> = {}) {
      this.statusCode = status
      Object.entries(headers).forEach(([name, value]) => { this.setHeader(name, value) })

      return this
    } as typeof response.writeHead
    response.end = function (this: typeof response, body?: Buffer | string) {
      const changed = {
        headers: { ...this.getHeaders() } as Record<string, string | number>,
        body: Buffer.from(body ?? '')
      }
      lie(changed, seen)
      this.getHeaderNames().forEach(name => { this.removeHeader(name) })
      Object.entries({ ...changed.headers, 'content-length': changed.body.byteLength })
        .forEach(([name, value]) => { this.setHeader(name, value) })

      return end.call(this, changed.body, 'utf8')
    } as typeof response.end
    answer()
  }
}

function lieFrom (s3: FakeS3, lie: Lie): void {
  s3.faults.shift = () => lying(lie)
}

describe.each([
  ['blocks', []],
  ['packs', ['--layout', 'packs']]
] as const)('a store of %s that lies', (_, layout) => {
  it.concurrent.for(Object.keys(LIES))('about %s gives nothing wrong, and loses nothing', { timeout: 120_000 }, async (
    name, { sandbox, onTestFinished }
  ) => {
    const s3 = await fakeS3()
    onTestFinished(async () => s3.close())
    const content = text(50_000)
    const url = `s3://${BUCKET}/site?endpoint=${s3.origin}`
    expectSuccess(await sandbox.run(['init', '--store', url, ...layout]))
    const cid = await sandbox.add(content)
    const words: Record<string, string> = {
      CID: cid, OUT: join(sandbox.directory, 'out'), FILE: await sandbox.write('file', text(70_000, 2))
    }
    const before = new Map(s3.objects)

    for (const command of COMMANDS) {
      lieFrom(s3, LIES[name])
      const { code, stdout } = await sandbox.run(command.split(' ').map(word => words[word] ?? word))

      if (command === 'cat CID' && code === 0) {
        expect(stdout.equals(content), command).toBe(true)
      }

      if (command === 'get CID -o OUT' && code === 0) {
        expect((await readFile(words.OUT)).equals(content), command).toBe(true)
      }
    }

    // the truth again: what was pinned before is there, unless a list hid the pin from a collection
    s3.faults.shift = () => undefined
    const { code, stdout } = await sandbox.run(['cat', cid])
    expect({ code, isRight: stdout.equals(content), lost: [...before.keys()].filter(key => !s3.objects.has(key)) })
      .toMatchObject({ code: 0, isRight: true })
  })
})

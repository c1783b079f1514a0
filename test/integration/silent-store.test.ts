/**
 * Ctrl-C ends every command whose store in S3 accepts requests, and then sends nothing, too little, or no end.
 *
 * @module-tag slow
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { BUCKET, fakeS3 } from '../support/fake-s3.ts'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, finish, it as base } from './run-cli.ts'
import type { FakeS3, Fault, Seen } from '../support/fake-s3.ts'
import type { Sandbox } from './run-cli.ts'

interface Store {
  url: string
  objects: FakeS3['objects']
  /** Requests that were answered so, or not at all. */
  faulty: Seen[]
  /** From now on, answer so what begins with a prefix. */
  fail (fault: Fault, prefix: string): void
}

const it = base.extend<{ store: Store }>({
  store: async ({ onTestFinished }, use) => {
    const s3 = await fakeS3()
    onTestFinished(async () => s3.close())
    const faulty: Seen[] = []

    await use({
      url: `s3://${BUCKET}/site?endpoint=${s3.origin}`,
      objects: s3.objects,
      faulty,
      fail (fault, prefix) {
        s3.faults.shift = () => (response, seen, answer) => {
          if (`${subjectOf(seen)}/`.includes(`/${prefix}`)) {
            faulty.push(seen)
            fault(response, seen, answer)
          } else {
            answer()
          }
        }
      }
    })
  }
})

/** The key that a request is about, or what the keys begin with. */
function subjectOf ({ key, query, body }: Seen): string {
  return key || query.get('prefix') || (/<Key>([^<]*)/.exec(body.toString())?.[1] ?? '')
}

const silent: Fault = () => {}

/** An answer that begins, and does not go on. One to HEAD would be complete. */
const stalled: Fault = (response, { method }) => {
  if (method !== 'HEAD') {
    response.writeHead(200, { 'content-length': 1000 }).flushHeaders()
  }
}

/** An answer without an end, quicker than the least that a transfer may bring. */
const dripping: Fault = (response, { method }) => {
  if (method !== 'HEAD') {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'.repeat(1000)), 20)
    response.on('close', () => { clearInterval(timer) })
  }
}

/** Commands, with what they ask first that is not answered, and how. CID and FILE stand for those of the test. */
const CASES: ReadonlyArray<[string, string, ...Fault[]]> = [
  ['init --repo NEW --store URL', '', silent, stalled, dripping],
  ['init', '', silent],
  ['add FILE', '', silent],
  ['add FILE', 'sessions/', silent, stalled, dripping],
  ['add FILE', 'packs/', silent, stalled, dripping],
  ['add FILE', 'records/', silent],
  ['cat CID', '', silent],
  ['cat CID', 'packs/', silent, stalled, dripping],
  ['get CID -o out', 'packs/', silent],
  ['ls CID', '', silent],
  ['stat CID', 'packs/', silent],
  ['stats', '', silent],
  ['stats', 'packs/', silent],
  ['du', 'records/', silent],
  ['log', 'records/', silent],
  ['gc', '', silent],
  ['gc', 'collections/', silent, stalled, dripping],
  ['gc', 'packs/', silent],
  ['gc --dry-run', 'records/', silent],
  ['pin add CID', '', silent],
  ['pin add CID', 'records/', silent, stalled, dripping],
  ['pin ls', 'records/', silent],
  ['pin rm CID', 'records/', silent],
  ['verify CID', '', silent],
  ['verify --all', 'packs/', silent, stalled, dripping],
  ['repair CID', '', silent],
  ['repair CID', 'packs/', silent],
  ['link ls', 'records/', silent],
  ['car export CID -o out.car', 'packs/', silent],
  ['migrate URL NEW', '', silent, stalled, dripping],
  ['migrate REPO NEW', 'packs/', silent],
  ['gateway --listen 127.0.0.1:0', '', silent],
  ['daemon --listen /ip4/127.0.0.1/tcp/0', '', silent],
  ['daemon --listen /ip4/127.0.0.1/tcp/0', 'nodes/', silent, stalled, dripping]
]

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }

beforeAll(() => { Object.entries(CREDENTIALS).forEach(([name, value]) => { vi.stubEnv(name, value) }) })
afterAll(() => { vi.unstubAllEnvs() })

/** The arguments of a command on a node whose store has a file. */
async function argsOf (command: string, sandbox: Sandbox, { url }: Store): Promise<string[]> {
  expectSuccess(await sandbox.run(['init', '--store', url]))
  const cid = await sandbox.add(text(3000))
  const words: Record<string, string> = {
    CID: cid,
    FILE: await sandbox.write('file', text(5000, 2)),
    NEW: join(sandbox.directory, 'new'),
    REPO: sandbox.repo,
    URL: url
  }

  return command.split(' ').map(word => words[word] ?? word)
}

describe('Ctrl-C', { concurrent: true, timeout: 20_000 }, () => {
  it.for(CASES.flatMap(([command, prefix, ...faults]) => faults.map(fault => ({ command, prefix, fault }))))(
    'ends ipfsz $command while the store is $fault.name that it asks for $prefix', async (
      { command, prefix, fault }, { sandbox, store }
    ) => {
      const args = await argsOf(command, sandbox, store)
      const pins = [...store.objects.keys()].filter(key => key.includes('/records/'))
      const interrupted = new AbortController()
      store.fail(fault, prefix)

      const running = sandbox.run(args, { signal: interrupted.signal })
      await Promise.race([vi.waitUntil(() => store.faulty.length > 0, { timeout: 10_000 }), running])
      interrupted.abort()

      const { code, stderr } = await running
      expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining('interrupted') as string })
      // what was acknowledged stays, and what can be ended has ended
      const keys = [...store.objects.keys()]
      expect(keys).toEqual(expect.arrayContaining(pins))
      expect(keys.filter(key => prefix !== '' && /\/(?:sessions|collections|nodes)\//.test(key))).toEqual([])
    }
  )
})

describe('a process whose store keeps silent', { concurrent: true, timeout: 20_000 }, () => {
  it.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends at %s', async (signal, { sandbox, store }) => {
    store.fail(silent, '')
    const child = sandbox.start(['init', '--store', store.url], { env: CREDENTIALS })
    const ended = finish(child)
    await vi.waitUntil(() => store.faulty.length > 0, { timeout: 15_000 })
    child.kill(signal)

    expectFailure(await ended, 130)
  })

  it('ends at once at a second signal', async ({ sandbox, store }) => {
    const args = await argsOf('add FILE', sandbox, store)
    store.fail(silent, 'packs/')
    const child = sandbox.start(args, { env: CREDENTIALS })
    const ended = finish(child)
    await vi.waitUntil(() => store.faulty.length > 0, { timeout: 15_000 })
    store.fail(silent, '')
    child.kill('SIGINT')
    // it ends its session first
    await vi.waitUntil(() => store.faulty.some(({ query }) => query.has('delete')), { timeout: 15_000 })
    child.kill('SIGTERM')

    expect(await ended).toMatchObject({ signal: 'SIGTERM' })
  })
})
